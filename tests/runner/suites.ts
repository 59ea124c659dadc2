import { resolve } from "node:path";
import { repository } from "../harness/repository.ts";

/** One line of the summary. */
export interface Suite {
  readonly name: string;
  readonly what: string;
  /** A program that counts as one test, or vitest with the project of the same name. */
  readonly kind: "command" | "vitest";
  readonly command?: readonly string[];
  /** Whether it starts containers, and so needs Docker and the images. */
  readonly needsDocker: boolean;
  /** Whether it runs alone, because it uses every processor or is sensitive to other load. */
  readonly alone?: boolean;
  /** It starts a stack with the suite's name through tests/e2e/support; an interruption may leave that stack running. */
  readonly ownStack?: boolean;
  /** Reason why it needs root; absent if any user of the Docker daemon can run it. */
  readonly needsRoot?: string;
  /** Files of other suites that it also runs, on its own stack. */
  readonly also?: readonly string[];
  /** Files that it leaves out, because another suite of the same run runs them on its own stack. */
  readonly without?: { readonly files: readonly string[]; readonly suite: string };
  /** It searches what the other suites of its run leave, so a record of an earlier run proves nothing. */
  readonly searchesRun?: boolean;
  /** The first command that runs it without its name; absent if it runs only by name. */
  readonly tier?: Tier;
}

/** `npm test` has the suites that a contributor waits for; `npm run test:all` has the others, too. */
export type Tier = "test" | "test:all";

const tool = (name: string): string => resolve(repository, "node_modules/.bin", name);

/** Files of the end-to-end suite that use a stack only from outside, on any target. */
const specificationWalk: readonly string[] = ["04", "05", "09"].map((section) => `tests/e2e/${section}-*.test.ts`);

/** The main faults and attacks, which `npm test` runs on one stack. */
const mainFaults: readonly string[] = [
  "tests/hostile/04-tokens.test.ts",
  "tests/hostile/05-graphql.test.ts",
  "tests/hostile/07-cookies.test.ts",
  "tests/faults/01-parts.test.ts",
];

const killsProcesses = "it kills processes of containers and changes rules in their networks";

type Special = Partial<Omit<Suite, "name" | "what" | "kind" | "needsDocker" | "tier">>;
const withContainers =
  (tier?: Tier) =>
  (name: string, what: string, special: Special = {}): Suite => ({
    name,
    what,
    kind: "vitest",
    needsDocker: true,
    tier,
    ...special,
  });
const inTest = withContainers("test");
const inAll = withContainers("test:all");
const byName = withContainers();

/**
 * All suites in the order of a run: the fastest checks first. Of the others, the suite `operate` comes first, which waits much: light suites
 * and the build of the Kubernetes node's programs run beside it. Then longer suites come before shorter ones, so that the lanes end together.
 */
export const suites: readonly Suite[] = [
  {
    name: "types",
    what: "TypeScript's check of everything",
    kind: "command",
    command: ["npm", "run", "--silent", "types"],
    needsDocker: false,
    tier: "test",
  },
  {
    name: "lint",
    what: "formatting; oxlint with package boundaries and cycles; shellcheck; knip for dead code; spelling of the pages",
    kind: "command",
    command: ["npm", "run", "--silent", "lint"],
    needsDocker: false,
    tier: "test",
  },
  { name: "unit", what: "the tests beside the code", kind: "vitest", needsDocker: false, alone: true, tier: "test" },
  inTest("e2e", "every line of the specification, against a running stack over TLS", { ownStack: true }),
  inTest("conformance", "Hasura's own test cases against the embedded engine"),
  inTest("permissions", "the permissions of each role in the metadata, on a real Postgres"),
  inTest("main-faults", "crashed, frozen and disconnected services; attacks on tokens, queries and cookies", {
    needsRoot: killsProcesses,
    ownStack: true,
    also: mainFaults,
  }),
  inAll("operate", "the commands of the operator's pages, as written, while a client counts failed requests"),
  inAll("database", "migrations, roles, loading and detection on a real Postgres"),
  inAll("auth-sidecar", "the sidecar on a real Postgres and a real session store"),
  inAll("kubernetes", "the stack on a Kubernetes node that the suite starts", {
    needsRoot: "a Kubernetes node creates namespaces, control groups and mounts",
    ownStack: true,
    also: specificationWalk,
  }),
  inAll("faults", "faults under load: services killed, disconnected, starved and with full disks", {
    needsRoot: killsProcesses,
    ownStack: true,
  }),
  inAll("updates", "the life of a stack from `up` to `down`, and changes while clients work, under the real Pulumi"),
  inAll("pulumi", "owners of a stack, external services, the packed component and an upgrade, under the real Pulumi"),
  inAll("hostile", "attacks on paths, TLS, GraphQL, WebSockets and tokens, while clients work", { ownStack: true }),
  inAll("local", "the commands that start, manage and remove a stack"),
  inAll("engine", "the embedded engine on a real Postgres"),
  inAll("checker", "hasura-checks on other projects' metadata, with planted faults"),
  inAll("gateway", "nginx in front of fake services"),
  {
    name: "site",
    what: "the documentation site builds",
    kind: "command",
    command: [tool("vitepress"), "build", "docs"],
    needsDocker: false,
    tier: "test:all",
  },
  inAll("secrets", "a search for the run's secrets in all logs, states, inspections, images and outputs", {
    alone: true,
    searchesRun: true,
  }),
  byName(
    "year",
    "a year of a small site: loads, backups, upgrades, rotations, crashes and a full disk, while clients work",
    { needsRoot: "it kills processes of containers and mounts a small disk" },
  ),
  byName("clients", "an hour of faults with sixty open pages behind one address; each row arrives once", {
    needsRoot: killsProcesses,
    ownStack: true,
  }),
  byName("machines", "typical machines of users: accounts, Docker daemons, proxies and folders"),
  byName("official-images", "the end-to-end suite and restarts on images in the shape of the official ones", {
    ownStack: true,
    also: ["tests/e2e/*.test.ts"],
  }),
];

/**
 * The suites with these names, in standard order.
 * @throws {Error} for an unknown name
 */
export function namedSuites(names: readonly string[]): readonly Suite[] {
  const unknown = names.filter((name) => !suites.some((suite) => suite.name === name));
  if (unknown.length > 0) {
    throw new Error(`unknown suite ${unknown.join(", ")}; there are ${suites.map(({ name }) => name).join(", ")}`);
  }
  return suites.filter(({ name }) => names.includes(name));
}

/** The suites of `npm test`, or all suites that run without their name. */
export const suitesOf = (command: Tier): readonly Suite[] =>
  suites.filter(({ tier }) => tier === "test" || (tier !== undefined && command === "test:all"));

export const lacksRoot = ({ needsRoot }: Suite): boolean => needsRoot !== undefined && process.getuid?.() !== 0;

/** The suites of one run: if `main-faults` runs, the others leave out its files. */
export function oneRun(
  selected: readonly Suite[],
  canRun = (suite: Suite): boolean => !lacksRoot(suite),
): readonly Suite[] {
  const first = selected.find(({ also }) => also === mainFaults);
  if (first === undefined || !canRun(first)) return selected;
  return selected.map((suite) =>
    suite === first ? suite : { ...suite, without: { files: mainFaults, suite: first.name } },
  );
}
