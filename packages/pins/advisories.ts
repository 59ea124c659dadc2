/** Published advisories of the programs in pins.ts and the fixed versions; also for `--hasura-version` of the checks. */
import published from "./advisories.json" with { type: "json" };

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

/** Published advisories, in the order of the reference page. */
export const advisories = published as readonly Advisory[];

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

/** Program and version in an image's name, without registry, mirror prefix and ending; undefined for other programs and lines. */
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
