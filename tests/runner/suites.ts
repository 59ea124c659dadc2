import { globSync } from "node:fs";
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
  /** It runs only by name. */
  readonly onRequest?: boolean;
}

const tool = (name: string): string => resolve(repository, "node_modules/.bin", name);

/** Files of the end-to-end suite that use a stack only from outside, on any target. */
const specificationWalk: readonly string[] = ["04", "05", "06", "07", "09", "10", "13"].map(
  (section) => `tests/e2e/${section}-*.test.ts`,
);

/** All suites in the order of `npm test`: the fastest checks first, then longer suites before shorter ones, so that the lanes end together. */
export const suites: readonly Suite[] = [
  {
    name: "types",
    what: "TypeScript's check of everything",
    kind: "command",
    command: ["npm", "run", "--silent", "types"],
    needsDocker: false,
  },
  {
    name: "lint",
    what: "formatting; oxlint with package boundaries and cycles; knip for dead code; spelling of the pages",
    kind: "command",
    command: ["npm", "run", "--silent", "lint"],
    needsDocker: false,
  },
  {
    name: "site",
    what: "the documentation site builds",
    kind: "command",
    command: [tool("vitepress"), "build", "docs"],
    needsDocker: false,
  },
  { name: "unit", what: "the tests beside the code", kind: "vitest", needsDocker: false, alone: true },
  {
    name: "database",
    what: "migrations, roles, loading and detection on a real Postgres",
    kind: "vitest",
    needsDocker: true,
  },
  {
    name: "kubernetes",
    what: "the stack on a Kubernetes node that the suite starts",
    kind: "vitest",
    needsDocker: true,
    needsRoot: "a Kubernetes node creates namespaces, control groups and mounts",
    ownStack: true,
    also: specificationWalk,
  },
  {
    name: "faults",
    what: "faults under load: services killed, disconnected, starved and with full disks",
    kind: "vitest",
    needsDocker: true,
    needsRoot: "it kills processes of containers and changes rules in their networks",
    ownStack: true,
  },
  {
    name: "e2e",
    what: "every line of the specification, against a running stack over TLS",
    kind: "vitest",
    needsDocker: true,
    ownStack: true,
  },
  {
    name: "pulumi",
    what: "the whole life cycle of the program, under the real Pulumi engine, on a Docker host",
    kind: "vitest",
    needsDocker: true,
  },
  {
    name: "auth-sidecar",
    what: "the sidecar on a real Postgres and a real session store",
    kind: "vitest",
    needsDocker: true,
  },
  {
    name: "permissions",
    what: "the permissions of each role in the metadata, on a real Postgres",
    kind: "vitest",
    needsDocker: true,
  },
  {
    name: "hostile",
    what: "attacks on paths, TLS, GraphQL, WebSockets and tokens, while clients work",
    kind: "vitest",
    needsDocker: true,
    ownStack: true,
  },
  { name: "local", what: "the commands that start, manage and remove a stack", kind: "vitest", needsDocker: true },
  {
    name: "machines",
    what: "typical machines of users: accounts, Docker engines, proxies and folders",
    kind: "vitest",
    needsDocker: true,
    onRequest: true,
  },
  {
    name: "official-images",
    what: "the end-to-end suite and restarts on images in the shape of the official ones",
    kind: "vitest",
    needsDocker: true,
    ownStack: true,
    also: ["tests/e2e/*.test.ts"],
    onRequest: true,
  },
  { name: "gateway", what: "nginx in front of fake services", kind: "vitest", needsDocker: true },
  { name: "engine", what: "the embedded engine on a real Postgres", kind: "vitest", needsDocker: true },
  {
    name: "conformance",
    what: "Hasura's own read cases against the embedded engine",
    kind: "vitest",
    needsDocker: true,
  },
  {
    name: "secrets",
    what: "a search for the run's secrets in all logs, states, inspections, images and outputs",
    kind: "vitest",
    needsDocker: true,
    alone: true,
  },
];

/** Whether the suite has any test file yet; commands always count. */
export function exists(suite: Suite): boolean {
  return (
    suite.kind === "command" ||
    suite.name === "unit" ||
    globSync(`tests/${suite.name}/**/*.test.ts`, { cwd: repository }).length > 0
  );
}

/**
 * The suites with these names, in standard order; without a name all existing ones that do not require a name.
 * @throws {Error} for an unknown name
 */
export function selectSuites(names: readonly string[]): Suite[] {
  const unknown = names.filter((name) => !suites.some((suite) => suite.name === name));
  if (unknown.length > 0) {
    throw new Error(`unknown suite ${unknown.join(", ")}; there are ${suites.map(({ name }) => name).join(", ")}`);
  }
  return names.length === 0
    ? suites.filter((suite) => exists(suite) && suite.onRequest !== true)
    : suites.filter(({ name }) => names.includes(name));
}
