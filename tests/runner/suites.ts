import { resolve } from "node:path";

export const repository: string = resolve(import.meta.dirname, "../..");

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
  /** Reason why it needs root; absent if any user of the Docker engine can run it. */
  readonly needsRoot?: string;
  /** Files of other suites that it also runs, on its own stack. */
  readonly also?: readonly string[];
  /** Files that it leaves out, because an earlier stage of the same run has them. */
  readonly without?: readonly string[];
  /** The command that runs it without its name; absent if it runs only by name. */
  readonly tier?: Tier;
}

/** `npm test` has the suites that a contributor waits for; `npm run test:all` has the others. */
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

/**
 * All suites in the order of a run: the fastest checks first, then longer suites before shorter ones, so that the lanes end together.
 * The programs of the Kubernetes node are built beside the suite `operate`, which is alone and waits much.
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
    what: "formatting; oxlint with package boundaries and cycles; knip for dead code; spelling of the pages",
    kind: "command",
    command: ["npm", "run", "--silent", "lint"],
    needsDocker: false,
    tier: "test",
  },
  { name: "unit", what: "the tests beside the code", kind: "vitest", needsDocker: false, alone: true, tier: "test" },
  {
    name: "e2e",
    what: "every line of the specification, against a running stack over TLS",
    kind: "vitest",
    needsDocker: true,
    ownStack: true,
    tier: "test",
  },
  {
    name: "conformance",
    what: "Hasura's own test cases against the embedded engine",
    kind: "vitest",
    needsDocker: true,
    tier: "test",
  },
  {
    name: "permissions",
    what: "the permissions of each role in the metadata, on a real Postgres",
    kind: "vitest",
    needsDocker: true,
    tier: "test",
  },
  {
    name: "main-faults",
    what: "crashed, frozen and disconnected services; attacks on tokens, queries and cookies",
    kind: "vitest",
    needsDocker: true,
    needsRoot: "it kills processes of containers and changes rules in their networks",
    ownStack: true,
    also: mainFaults,
    tier: "test",
  },
  {
    name: "operate",
    what: "the commands of the operator's pages, as written, while a client counts failed requests",
    kind: "vitest",
    needsDocker: true,
    alone: true,
    tier: "test:all",
  },
  {
    name: "pulumi",
    what: "the whole life cycle of the program, under the real Pulumi engine, on a Docker host",
    kind: "vitest",
    needsDocker: true,
    tier: "test:all",
  },
  {
    name: "faults",
    what: "faults under load: services killed, disconnected, starved and with full disks",
    kind: "vitest",
    needsDocker: true,
    needsRoot: "it kills processes of containers and changes rules in their networks",
    ownStack: true,
    tier: "test:all",
  },
  {
    name: "kubernetes",
    what: "the stack on a Kubernetes node that the suite starts",
    kind: "vitest",
    needsDocker: true,
    needsRoot: "a Kubernetes node creates namespaces, control groups and mounts",
    ownStack: true,
    also: specificationWalk,
    tier: "test:all",
  },
  {
    name: "hostile",
    what: "attacks on paths, TLS, GraphQL, WebSockets and tokens, while clients work",
    kind: "vitest",
    needsDocker: true,
    ownStack: true,
    tier: "test:all",
  },
  {
    name: "auth-sidecar",
    what: "the sidecar on a real Postgres and a real session store",
    kind: "vitest",
    needsDocker: true,
    tier: "test:all",
  },
  {
    name: "local",
    what: "the commands that start, manage and remove a stack",
    kind: "vitest",
    needsDocker: true,
    tier: "test:all",
  },
  {
    name: "database",
    what: "migrations, roles, loading and detection on a real Postgres",
    kind: "vitest",
    needsDocker: true,
    tier: "test:all",
  },
  {
    name: "engine",
    what: "the embedded engine on a real Postgres",
    kind: "vitest",
    needsDocker: true,
    tier: "test:all",
  },
  {
    name: "checker",
    what: "hasura-checks on other projects' metadata, with planted faults",
    kind: "vitest",
    needsDocker: true,
    tier: "test:all",
  },
  { name: "gateway", what: "nginx in front of fake services", kind: "vitest", needsDocker: true, tier: "test:all" },
  {
    name: "site",
    what: "the documentation site builds",
    kind: "command",
    command: [tool("vitepress"), "build", "docs"],
    needsDocker: false,
    tier: "test:all",
  },
  {
    name: "secrets",
    what: "a search for the run's secrets in all logs, states, inspections, images and outputs",
    kind: "vitest",
    needsDocker: true,
    alone: true,
    tier: "test:all",
  },
  {
    name: "year",
    what: "a year of a small site: loads, backups, upgrades, rotations, crashes and a full disk, while clients work",
    kind: "vitest",
    needsDocker: true,
    needsRoot: "it kills processes of containers and mounts a small disk",
  },
  {
    name: "machines",
    what: "typical machines of users: accounts, Docker engines, proxies and folders",
    kind: "vitest",
    needsDocker: true,
  },
  {
    name: "official-images",
    what: "the end-to-end suite and restarts on images in the shape of the official ones",
    kind: "vitest",
    needsDocker: true,
    ownStack: true,
    also: ["tests/e2e/*.test.ts"],
  },
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

/** The suites of one command. Those of `test:all` leave out the files that `npm test` runs on another stack. */
export function suitesOf(command: Tier): readonly Suite[] {
  const selected = suites.filter(({ tier }) => tier === command);
  return command === "test" ? selected : selected.map((suite) => ({ ...suite, without: mainFaults }));
}
