/**
 * Reads the name of an image: which program it holds and in which version. Registry, mirror prefix and the ending of the tag do not
 * matter: `registry.example.net/hub/library/postgres:17.12-trixie` is Postgres 17.12.
 * @module
 */

/** Programs that this kit runs in images of other projects. */
export type Program = "hasura" | "postgres" | "nginx" | "valkey" | "node";

const programOfRepository: Readonly<Record<string, Program>> = {
  "graphql-engine": "hasura",
  postgres: "postgres",
  postgresql: "postgres",
  nginx: "nginx",
  "nginx-unprivileged": "nginx",
  valkey: "valkey",
  node: "node",
};

export interface ImageVersion {
  readonly program: Program;
  readonly version: string;
}

/** Program and version; undefined where the name is of another program, or names a line (`postgres:17`) or a digest instead of a version. */
export function versionOf(image: string): ImageVersion | undefined {
  const [, repository = "", tag = ""] = /^(?:.*\/)?([^/:@]+):([^/:@]+)(?:@.*)?$/.exec(image) ?? [];
  const program = programOfRepository[repository];
  const version = /^v?(\d+(?:\.\d+)+)/.exec(tag)?.[1];
  if (program === undefined || version === undefined) return undefined;
  return version.split(".").length < versionParts[program] ? undefined : { program, version };
}

/** Numbers in a complete version. */
const versionParts: Readonly<Record<Program, number>> = { hasura: 3, postgres: 2, nginx: 3, valkey: 3, node: 3 };

/** Numbers that name a line of releases, which gets its own fixes: Hasura 2.45, Postgres 17, nginx 1.30, Valkey 8.1, Node 24. */
const lineParts: Readonly<Record<Program, number>> = { hasura: 2, postgres: 1, nginx: 2, valkey: 2, node: 1 };

export const lineOf = ({ program, version }: ImageVersion): string =>
  version.split(".").slice(0, lineParts[program]).join(".");

/** Negative when `left` is older, 0 when equal. */
export function compareVersions(left: string, right: string): number {
  const [lefts, rights] = [left, right].map((text) => text.split(".").map(Number)) as [number[], number[]];
  for (let index = 0; index < Math.max(lefts.length, rights.length); index++) {
    const difference = (lefts[index] ?? 0) - (rights[index] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}
