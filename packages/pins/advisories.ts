/**
 * Published advisories of the programs in pins.ts, and the versions that fix them. A version below the fix of its line is not safe to
 * run. `--hasura-version` of the metadata checks uses the same list.
 * @module
 */
export type PermissionFeature = "table-computed-field" | "nested-inherited-role" | "update-many";

export interface Advisory {
  readonly program: Program;
  readonly ids: readonly string[];
  /** Permission feature of Hasura that the metadata has to use; the metadata checks look for it. */
  readonly feature?: PermissionFeature;
  /** The attacker's gain, as one sentence. */
  readonly effect: string;
  /** First fixed version of each line that got a fix. Later lines are fixed; lines between without an entry are not. */
  readonly fixed: readonly string[];
  /** First affected version; older ones are not affected. */
  readonly since?: string;
  readonly source: string;
}

export const advisories: readonly Advisory[] = [
  {
    program: "hasura",
    ids: ["CVE-2026-54698", "GHSA-r27x-gc74-qmxh"],
    feature: "table-computed-field",
    effect: "A `where` on a table computed field reveals values of rows that the role may not select.",
    fixed: ["2.45.5", "2.49.2"],
    source: "https://github.com/hasura/graphql-engine/security/advisories/GHSA-r27x-gc74-qmxh",
  },
  {
    program: "hasura",
    // The release notes name no fix for 2.46 to 2.48.
    ids: ["hasura/graphql-engine#10711"],
    feature: "nested-inherited-role",
    effect: "A role that inherits from an inherited role is not limited to the filters and columns of the first role.",
    fixed: ["2.45.3", "2.49.0"],
    since: "2.0.3",
    source: "https://github.com/hasura/graphql-engine/releases/tag/v2.45.3",
  },
  {
    program: "hasura",
    ids: ["CVE-2022-46792", "GHSA-g7mj-g7f4-hgrg"],
    feature: "update-many",
    effect: "An `update_<table>_many` changes rows that the role may not update.",
    fixed: ["2.10.2", "2.11.3", "2.12.1", "2.13.2", "2.14.1", "2.15.2"],
    since: "2.10.0",
    source: "https://github.com/hasura/graphql-engine/security/advisories/GHSA-g7mj-g7f4-hgrg",
  },
  {
    program: "postgres",
    ids: ["CVE-2026-116303", "CVE-2026-14661", "CVE-2026-6460"],
    effect: "47 vulnerabilities of the release of November 2026.",
    fixed: ["17.12"],
    source: "https://tracker.debian.org/media/packages/p/postgresql-17/changelog-17.12-0deb13u1",
  },
  {
    program: "postgres",
    ids: ["CVE-2026-14680", "CVE-2026-16239"],
    effect: "Any database user executes code as the operating system user of the server.",
    fixed: ["14.24", "15.19", "16.15", "17.11", "18.6"],
    source: "https://www.postgresql.org/support/security/CVE-2026-14680/",
  },
  {
    program: "postgres",
    ids: ["CVE-2026-6473"],
    effect: "11 vulnerabilities of the release of May 2026.",
    fixed: ["14.23", "15.18", "16.14", "17.10", "18.4"],
    source: "https://www.postgresql.org/support/security/CVE-2026-6473/",
  },
  {
    program: "nginx",
    ids: ["CVE-2026-123633", "CVE-2026-123634", "CVE-2026-118899"],
    effect: "HTTP/2 connections, resolver contexts and request bodies are used after they were freed.",
    fixed: ["1.30.7", "1.31.9"],
    source: "https://nginx.org/en/security_advisories.html",
  },
  {
    program: "nginx",
    ids: ["CVE-2026-15176", "CVE-2026-93479", "CVE-2026-97629"],
    effect: "Buffer overflows in `alias` with `rewrite` and in variables; forged TLS sessions after a key rotation.",
    fixed: ["1.30.6", "1.31.7"],
    source: "https://nginx.org/en/security_advisories.html",
  },
  {
    program: "nginx",
    ids: ["CVE-2026-42533"],
    effect: "A buffer overflow in `map` with regular expressions.",
    fixed: ["1.30.4", "1.31.3"],
    since: "0.9.6",
    source: "https://nginx.org/en/security_advisories.html",
  },
  {
    program: "valkey",
    ids: ["GHSA-f4q9-j22m-xqq9"],
    effect: "An authenticated client of a cluster overflows a heap buffer with an oversized message.",
    fixed: ["7.2.15", "8.0.12", "8.1.11", "9.0.7", "9.1.3"],
    source: "https://github.com/valkey-io/valkey/releases/tag/8.1.11",
  },
  {
    program: "valkey",
    ids: ["CVE-2026-56684", "CVE-2026-63639"],
    effect: "An authenticated client executes code with CLIENT KILL over TLS or with a corrupt stream.",
    fixed: ["8.1.9", "9.0.5", "9.1.1"],
    source: "https://github.com/valkey-io/valkey/releases/tag/8.1.9",
  },
  {
    program: "node",
    ids: ["CVE-2026-111497", "CVE-2026-105483", "CVE-2026-106069"],
    effect: "An out-of-bounds write in the Brotli decoder; TLS accepts certificates of other hosts.",
    fixed: ["22.23.4", "24.22.1", "26.12.1"],
    source: "https://nodejs.org/en/blog/vulnerability/october-2026-security-releases",
  },
];

function isAffected(
  subject: ImageVersion,
  { program, fixed, since }: Pick<Advisory, "program" | "fixed" | "since">,
): boolean {
  const { version } = subject;
  if (subject.program !== program) return false;
  if (since !== undefined && compareVersions(version, since) < 0) return false;
  const line = lineOf(subject);
  const inLine = fixed.find((candidate) => lineOf({ program, version: candidate }) === line);
  if (inLine !== undefined) return compareVersions(version, inLine) < 0;
  return fixed.some((candidate) => compareVersions(version, candidate) < 0);
}

/** Every advisory that a version of a program is affected by. */
export const advisoriesFor = (subject: ImageVersion): readonly Advisory[] =>
  advisories.filter((advisory) => isAffected(subject, advisory));

/** Advisories of an image by its name; none if the name contains no version. */
export function advisoriesOf(image: string): readonly Advisory[] {
  const subject = versionOf(image);
  return subject === undefined ? [] : advisoriesFor(subject);
}

/** `<ids>: <effect> Fixed in <versions>. <source>` */
export const describeAdvisory = ({ ids, effect, fixed, source }: Advisory): string =>
  `${ids.join(", ")}: ${effect} Fixed in ${fixed.join(", ")}. See ${source}`;

/** The oldest version of a line without a known advisory, of all lines that got a fix. */
export function safeFloor(program: Program): readonly string[] {
  const candidates = advisories.filter((advisory) => advisory.program === program).flatMap(({ fixed }) => fixed);
  return [...new Set(candidates)]
    .filter((version) => advisoriesFor({ program, version }).length === 0)
    .toSorted(compareVersions);
}

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

/**
 * Program and version in the name of an image; registry, mirror prefix and the ending of the tag do not matter:
 * `registry.example.net/hub/library/postgres:17.12-trixie` is Postgres 17.12.
 * @returns undefined for another program, and for a line (`postgres:17`) or a digest instead of a version
 */
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
