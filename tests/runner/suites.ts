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
  /** Whether it starts containers, so that Docker and the images must be there. */
  readonly needsDocker: boolean;
  /** Nothing runs beside it: it takes every processor, or minds what happens on the machine meanwhile. */
  readonly alone?: boolean;
  /** It brings up a stack of the suite's name with tests/e2e/support, which an interruption may leave standing. */
  readonly ownStack?: boolean;
  /** Why only root can run it; absent where any user of the Docker engine can. */
  readonly needsRoot?: string;
  /** Files of other suites that it runs too, on its own stack. */
  readonly also?: readonly string[];
  /** It runs only where it is named. */
  readonly onRequest?: boolean;
}

const tool = (name: string): string => resolve(repository, "node_modules/.bin", name);

/** What of the end-to-end suite looks at a stack from outside alone, whatever it runs on. */
const specificationWalk: readonly string[] = ["04", "05", "06", "07", "09", "10", "13"].map((section) => `tests/e2e/${section}-*.test.ts`);

/** All suites in the order in which `npm test` runs them: what fails fastest comes first, then the longest before the shorter, so that the lanes end together. */
export const suites: readonly Suite[] = [
  { name: "types", what: "TypeScript's check of everything", kind: "command", command: ["npm", "run", "--silent", "types"], needsDocker: false },
  { name: "lint", what: "oxlint with package boundaries and cycles; knip for dead code", kind: "command", command: ["npm", "run", "--silent", "lint"], needsDocker: false },
  { name: "site", what: "the documentation site builds", kind: "command", command: [tool("vitepress"), "build", "docs"], needsDocker: false },
  { name: "unit", what: "the tests beside the code", kind: "vitest", needsDocker: false, alone: true },
  { name: "database", what: "migrations, roles, loading and detection on a real Postgres", kind: "vitest", needsDocker: true },
  { name: "kubernetes", what: "the stack on a Kubernetes node of the suite's own", kind: "vitest", needsDocker: true, needsRoot: "a Kubernetes node makes namespaces, control groups and mounts", ownStack: true, also: specificationWalk },
  { name: "faults", what: "bad days, with clients at work: parts killed, cut off, starved and full", kind: "vitest", needsDocker: true, needsRoot: "it kills processes of containers and changes rules in their networks", ownStack: true },
  { name: "e2e", what: "the specification, line by line, against a running stack over TLS", kind: "vitest", needsDocker: true, ownStack: true },
  { name: "pulumi", what: "the program over its whole life, under the real Pulumi engine, on a Docker host", kind: "vitest", needsDocker: true },
  { name: "auth-sidecar", what: "the sidecar on a real Postgres and a real session store", kind: "vitest", needsDocker: true },
  { name: "permissions", what: "what each role may see, from the metadata, on a real Postgres", kind: "vitest", needsDocker: true },
  { name: "hostile", what: "hostile days: the surface scanned, GraphQL, WebSocket and tokens abused, while clients work", kind: "vitest", needsDocker: true, ownStack: true },
  { name: "local", what: "the commands that bring a stack up, work on it and take it down", kind: "vitest", needsDocker: true },
  { name: "machines", what: "the machines that people have: users, engines, proxies and folders", kind: "vitest", needsDocker: true, onRequest: true },
  { name: "gateway", what: "nginx in front of stand-ins", kind: "vitest", needsDocker: true },
  { name: "engine", what: "the embedded engine on a real Postgres", kind: "vitest", needsDocker: true },
  { name: "conformance", what: "Hasura's own read cases against the embedded engine", kind: "vitest", needsDocker: true },
  { name: "secrets", what: "every log, state, inspection, image and output of the run, searched for every secret of the run", kind: "vitest", needsDocker: true, alone: true },
];

/** Whether the suite has any test file yet; commands always count. */
export function exists(suite: Suite): boolean {
  return suite.kind === "command" || suite.name === "unit" || globSync(`tests/${suite.name}/**/*.test.ts`, { cwd: repository }).length > 0;
}

/** The suites of these names, in running order; without a name all that exist and do not wait to be named. @throws {Error} for an unknown name */
export function selectSuites(names: readonly string[]): Suite[] {
  const unknown = names.filter((name) => !suites.some((suite) => suite.name === name));
  if (unknown.length > 0) {
    throw new Error(`unknown suite ${unknown.join(", ")}; there are ${suites.map(({ name }) => name).join(", ")}`);
  }
  return names.length === 0 ? suites.filter((suite) => exists(suite) && suite.onRequest !== true) : suites.filter(({ name }) => names.includes(name));
}
