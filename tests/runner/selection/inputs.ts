/** What each suite exercises. `.ci/run` runs a suite if one of its inputs differs from the record of its last success. */
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { repository } from "../../harness/repository.ts";

export interface SuiteInputs {
  /** Files and folders. A change of one runs the suite; of a page, a change of a heading, a mark or a block of code. */
  readonly inputs: readonly string[];
  /** Packages that the suite uses only by their `exports`, and folders for the other target. A change inside of them does not run it. */
  readonly through?: readonly string[];
}

/** Whether a file is no input anywhere below its folder: unit tests beside the code, and pages about it. They belong to `npm test`. */
export const isNoInput = (path: string): boolean =>
  (!path.startsWith("tests/") && path.endsWith(".test.ts")) || (!path.startsWith("docs/") && path.endsWith(".md"));

/** Paths from a text with blanks or line breaks between them. */
const paths = (text: string): readonly string[] => text.trim().split(/\s+/);

/** A folder without these files and folders in it, as the list of the rest. */
const without = (folder: string, left: readonly string[]): readonly string[] =>
  readdirSync(join(repository, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = `${folder}/${entry.name}`;
    if (left.includes(path) || isNoInput(path)) return [];
    return left.some((other) => other.startsWith(`${path}/`)) ? without(path, left) : [path];
  });

/** The contract without the texts of errors. */
const contract = paths(`
  README.md connection environment.ts log-lines.ts most-heavy.ts package.json paths.ts pem.ts printable.ts roles.ts
  rotated-secret.ts stop-server.ts trace-context.ts unavailable.ts within.ts written-text.ts`).map(
  (name) => `packages/contract/${name}`,
);

/** The texts of errors, an input of the suites that test their senders. */
const errorTexts = "packages/contract/error-codes.ts";

/** What all vitest suites with containers install, build and start. Only the kit runs `packages/host`; the harness uses it as a tool. */
const shared = paths(`
  package.json package-lock.json .npmrc .dockerignore tsconfig.json vitest.config.ts packages/pins tests/harness`).concat(
  contract,
);

/** Files beside the kit that its commands and targets read. */
const besideKit = paths("images packages/database-access packages/tracing/settings.ts Pulumi.yaml Pulumi.example.yaml");

/** Only a stack on Docker, or only one on Kubernetes, runs these. */
const forDocker = paths("cli/docker cli/stack/places/docker.ts infra/targets/docker");
const kubernetesCommands = paths("cli/kubernetes cli/stack/places/kubernetes.ts");
const forKubernetes = [...kubernetesCommands, ...paths("infra/targets/kubernetes packages/host/kubernetes")];

/** The whole kit, and the kit of one target. Both targets build images in the same way. */
const kit = [...besideKit, ...paths("infra cli packages/host")];
const kitWithout = (left: readonly string[]): readonly string[] =>
  besideKit.concat(paths("infra cli packages/host").flatMap((folder) => without(folder, left)));
const kitOnDocker = kitWithout([...forKubernetes, "infra/services"]);
const kitOnKubernetes = kitWithout(forDocker).concat("infra/targets/docker/image.ts");

/** What the sidecar declares: ranges and meanings of its settings. */
const sidecarSettings = "packages/sidecar-settings";

/** The descriptions of services, by file. */
const described = (names: string): readonly string[] => paths(names).map((name) => `infra/services/${name}.ts`);

/** The job and the programs of a restore, which the suites `e2e` and `database` test. */
const jobs = paths("database/migrate database/restore");

/** Settings of what services do, by file. */
const declared = (names: string): readonly string[] => paths(names).map((name) => `infra/settings/declared/${name}.ts`);

/** The services of a stack on Docker, with the settings that limit and connect them. */
const services = paths(`
  auth-sidecar engine hasura-metadata images infra/services infra/targets/docker nginx
  packages/metadata packages/sidecar-settings packages/tracing`).concat(
  errorTexts,
  declared("data-stores engine gateway monitoring network sidecar"),
);

/** The services of the attacked stack. The attackers are guests of its network, and the tests check limits and restarts of each container. */
const attackedServices = paths(`
  auth-sidecar engine hasura-metadata infra/targets/docker nginx packages/metadata packages/sidecar-settings packages/tracing
  images/auth-sidecar images/database images/database-tools images/engine images/gateway images/sessions`).concat(
  errorTexts,
  described(`
    all archive auth-sidecar database database-place embedded-engine file-contents gateway metadata-files migrate placement
    sessions`),
  declared("access data-stores engine gateway network sidecar"),
);

/** Files of suites that start a stack for others. */
const ownStack = paths("tests/e2e/support tests/secrets/spellings.ts");

/** Pages whose commands the suite `operate` types. */
const walkedPages = paths("backup deploy ldap monitoring secrets status tls troubleshoot upgrade users")
  .map((page) => `docs/operate/${page}.md`)
  .concat("docs/start/tutorial.md");

/** The commands offer parts of these products, which other suites test. vitest.config.ts reads the list of suites. */
const behindCommands = paths("auth-sidecar engine hasura-checks packages/metadata routing tests/runner");
const behindDocker = behindCommands.concat(forKubernetes);

/** The harness builds images and knows the settings of a stack. */
const behindHarness = paths("cli infra packages/host tests/runner");

const behindServices = paths("cli database infra packages/host tests/runner");
const behindEverything = paths("database hasura-checks offline routing tests/runner");

/** By suite. Those of `npm test` run with every change; their lists are for the test that each file has a suite. */
export const suiteInputs: Readonly<Record<string, SuiteInputs>> = {
  types: { inputs: paths("tsconfig.json console") },
  lint: {
    inputs: paths(`
      .editorconfig .git-blame-ignore-revs .gitattributes .gitignore .oxfmtrc.json .oxlintrc.json cspell.json knip.json`),
  },
  unit: {
    inputs: paths(`
      .ci .env.example .github .pre-commit-hooks.yaml CHANGELOG.md CONTRIBUTING.md LICENSE README.md SECURITY.md
      Pulumi.dev.yaml Pulumi.local.yaml Pulumi.prod.yaml action.yml bench ci-templates docs renovate.json routeql.yaml
      packages/contract tests/README.md tests/package.json tests/boundaries tests/documents tests/runner tests/verify`),
  },
  e2e: { inputs: [...shared, ...kit, ...services, ...paths("console database routing tests/e2e")] },
  conformance: { inputs: [...shared, ...paths("engine packages/metadata tests/conformance tests/differential")] },
  permissions: { inputs: [...shared, ...paths("engine hasura-checks database hasura-metadata tests/permissions")] },
  "main-faults": { inputs: [...shared, ...services, ...paths("tests/main-faults tests/faults tests/hostile")] },
  operate: {
    inputs: [...shared, ...kitOnDocker, "infra/services", sidecarSettings, "database/restore", ...walkedPages].concat(
      paths("tests/operate tests/pulumi/support/checkout.ts tests/local/support"),
      paths("tests/auth-sidecar/directory tests/auth-sidecar/directory-container.ts"),
    ),
    through: [...behindDocker, "database", "nginx", "offline"],
  },
  database: {
    inputs: shared.concat(
      paths(
        "database packages/database-access packages/host/program-streams.ts routing hasura-metadata cli/database docs/start/desk tests/database tests/artemis",
      ),
      paths("images/database images/database-tools"),
    ),
    through: [...behindHarness, "auth-sidecar", "packages/metadata"],
  },
  "auth-sidecar": {
    inputs: shared.concat(
      paths("auth-sidecar packages/sidecar-settings packages/tracing docs/operate/ldap.md tests/auth-sidecar"),
      paths("database/migrations database/migrate"),
      errorTexts,
      paths("images/auth-sidecar images/database images/sessions tests/engine/support/engine-process.ts"),
      // Tokens of a rotation go to an engine.
      paths("engine/src/auth"),
    ),
    through: [...behindHarness, ...paths("database engine packages/database-access")],
  },
  kubernetes: {
    inputs: [...shared, ...kitOnKubernetes, sidecarSettings, ...jobs, ...ownStack].concat(
      paths(
        "nginx offline docs/operate/rights docs/start/desk tests/kubernetes tests/kubernetes-node tests/local/support/tiny-stack.ts",
      ),
      paths("04-endpoints-session-flow 05-graphql 09-events").map((name) => `tests/e2e/${name}.test.ts`),
    ),
    through: [...behindCommands, ...forDocker, "database", errorTexts],
  },
  faults: {
    inputs: [...shared, ...services, ...ownStack].concat(
      paths("cli/status infra/monitoring tests/faults tests/gateway/support"),
      paths("client interface-description sidecar-process stack").map((name) => `tests/auth-sidecar/${name}.ts`),
    ),
    through: [...behindServices, "packages/database-access"],
  },
  updates: {
    inputs: [...shared, ...kitOnDocker, "infra/services"].concat(
      paths("database hasura-metadata/databases offline docs/start/desk"),
      paths("tests/updates tests/pulumi/support tests/e2e/support/stack/engine-of-the-run.ts"),
      // The suite sets a limit of logins.
      "packages/sidecar-settings/numbers.ts",
    ),
    through: [...behindDocker, ...paths("nginx packages/sidecar-settings")],
  },
  pulumi: {
    inputs: [
      ...shared,
      ...kitOnDocker,
      sidecarSettings,
      ...paths("database offline docs/start/desk tests/pulumi"),
    ].concat(
      // Services with data, which an upgrade keeps, and those that a user has outside.
      described(
        "all archive database database-place file-contents metadata-files migrate outside placement sessions storage-region",
      ),
    ),
    through: [...behindDocker, "infra/services", "nginx"],
  },
  hostile: { inputs: [...shared, ...attackedServices, ...ownStack, "tests/hostile"], through: behindServices },
  local: {
    inputs: [
      ...shared,
      // A test interrupts updates of a cluster in memory, so the Kubernetes target is an input.
      ...kitWithout(["infra/services", ...kubernetesCommands, ...declared("access data-stores engine gateway")]),
      // Services with metrics, and the one that asks a directory.
      ...described("all auth-sidecar embedded-engine exporters feed file-contents monitoring"),
      sidecarSettings,
      ...ownStack,
      // The rights of the logins that read metrics.
      ...paths("database.ts grants.sql main.ts privileges.sql roles.ts settings.ts").map(
        (name) => `database/migrate/${name}`,
      ),
      ...paths("tests/local tests/auth-sidecar/directory-container.ts"),
    ],
    through: [
      ...behindCommands,
      ...kubernetesCommands,
      ...paths("infra/services infra/settings/declared database nginx offline packages/tracing"),
    ],
  },
  engine: {
    inputs: shared.concat(
      paths("engine packages/metadata packages/tracing hasura-metadata images/database images/engine"),
      paths("docs/clients/lost-answers.md docs/reference/engine.md tests/engine tests/conformance tests/differential"),
      paths("cli/commands/schema.ts"),
    ),
    through: behindHarness,
  },
  checker: {
    inputs: shared.concat(
      paths("hasura-checks engine packages/metadata packages/tracing images/database"),
      paths(
        "tests/checker tests/conformance tests/differential tests/engine/support tests/permissions/support/check-kinds.ts",
      ),
    ),
    through: behindHarness,
  },
  gateway: {
    inputs: shared.concat(
      errorTexts,
      // The image of the engine runs the fake services.
      paths(
        "nginx console infra/services/gateway.ts infra/targets/docker/files.ts images/gateway images/engine tests/gateway",
      ),
    ),
    through: behindHarness,
  },
  site: { inputs: paths("docs package-lock.json") },
  secrets: { inputs: ["tests/secrets"] },
  year: {
    inputs: [...shared, ...kit, ...services, ...paths("tests/year tests/pulumi/support")],
    through: behindEverything,
  },
  clients: {
    inputs: [...shared, ...services, ...ownStack, ...paths("console/src tests/clients tests/faults/support")],
    through: behindServices,
  },
  machines: {
    inputs: [...shared, ...kit, ...services, ...paths("tests/machines tests/pulumi/support")],
    through: behindEverything,
  },
  "official-images": {
    inputs: [...shared, ...kit, ...services, ...paths("tests/official-images tests/e2e tests/secrets")],
    through: behindEverything,
  },
};
