import { existsSync, readdirSync, statSync } from "node:fs";
import { dirname, join, relative, resolve, sep } from "node:path";
import { readRegularText } from "@routeql/contract/written-text";
import { objectAround } from "@routeql/engine/metadata-api/inconsistencies";
import { keyOf } from "../declared/tables.ts";
import { type LoadedMetadata, loadMetadata, type MergedPath, valueAt } from "@routeql/metadata/read/load";
import { leadsOutside } from "@routeql/metadata/read/outside";
import type { Problem } from "@routeql/metadata/read/problems";
import type { Metadata } from "@routeql/metadata/read/shape";
import { qualifiedName } from "@routeql/metadata/read/shape-parts";
import { validateMetadata, withoutAll } from "@routeql/metadata/read/validate";
import { UsageError } from "../cli/usage-error.ts";
import { linesOf } from "./lines.ts";
import { fromVersion2, withConfigurations, withoutObjects } from "./loaded-metadata.ts";

/** A file, relative to the working directory, and a line in it from 1. */
export interface Position {
  readonly file: string;
  readonly line: number;
}

/** A problem with the key of the table that it is about. */
export type PlacedProblem = Problem & { readonly table?: string };

export interface Project {
  /** The content of all files. */
  readonly whole: LoadedMetadata;
  /** The examined part of it. */
  readonly loaded: LoadedMetadata;
  /** The metadata without ignored keys; undefined if its shape is wrong, with the reasons in `problems`. */
  readonly metadata: Metadata | undefined;
  readonly problems: readonly PlacedProblem[];
  /** Files that no other file includes, relative to the metadata directory. */
  readonly unincluded: readonly string[];
  readonly position: (path: MergedPath) => Position;
  readonly positionOf: (problem: Pick<Problem, "file" | "path" | "line">) => Position;
}

/** Reads a metadata directory or file. @param shown prefix of names in positions @param narrow selects a part @throws UsageError */
export function readProject(
  source: string,
  directory: string,
  shown?: string,
  narrow = (loaded: LoadedMetadata) => loaded,
): Project {
  const path = resolve(directory, source);
  const status = statSync(path, { throwIfNoEntry: false });
  if (status === undefined) throw new UsageError(`there is no metadata at ${source}`);
  const root = status.isDirectory() ? path : dirname(path);
  if (status.isDirectory() && !["version.yaml", "databases"].some((name) => existsSync(join(path, name)))) {
    throw new UsageError(
      `${source} is not a metadata directory: it has neither version.yaml nor databases/. Give a directory with them, or a file of exported metadata`,
    );
  }
  const whole = fromVersion2(loadMetadata(path));
  if (!status.isDirectory() && whole.problems.length === 0 && !("sources" in whole.merged))
    throw new UsageError(
      `${source} has no metadata: it lacks sources. Give the metadata directory, a folder with the config.yaml of Hasura's CLI, or a file of exported metadata`,
    );
  const known = new Map<string, ReturnType<typeof linesOf>>(
    shown === undefined ? [] : filesBelow(root).map((file) => [file, linesOf(read(join(root, file)))]),
  );
  const lineOf = (file: string, inside: string) => {
    const lines = known.get(file) ?? linesOf(read(join(root, file)));
    known.set(file, lines);
    return lines(inside);
  };
  const positionOf = ({ file, path: inside, line }: Pick<Problem, "file" | "path" | "line">): Position => ({
    file: shown === undefined ? relative(directory, join(root, file)) : join(shown, file),
    line: line ?? lineOf(file, inside),
  });
  return { ...examined(whole, narrow(whole), positionOf), unincluded: unincludedFiles(path) };
}

/** Metadata that the caller has read. Positions name the files as it does. */
export const loadedProject = (whole: LoadedMetadata): Project => ({
  ...examined(whole, whole, ({ file, line = 1 }) => ({ file, line })),
  unincluded: [],
});

function examined(
  whole: LoadedMetadata,
  narrowed: LoadedMetadata,
  positionOf: Project["positionOf"],
): Omit<Project, "unincluded"> {
  const { loaded: own, foreign } = withoutForeignSources(narrowed);
  const { loaded, metadata, problems } = withoutInvalid(own);
  const position = (merged: MergedPath): Position => positionOf(loaded.locate(merged));
  return { whole, loaded, metadata, problems: [...problems, ...foreign], positionOf, position };
}

/** Removing one object can make another one invalid. After more rounds, the metadata counts as unreadable. */
const mostRounds = 8;

/** Metadata without ignored keys, invalid objects and unreadable files, so that the rest can be examined. Lists every problem. */
function withoutInvalid(whole: LoadedMetadata): Pick<Project, "loaded" | "metadata" | "problems"> {
  const found: PlacedProblem[] = [...whole.problems];
  const unread = whole.problems.length === 0 ? [] : unreadPlaces(whole.merged, []);
  const isUnread = (path: MergedPath) => unread.some((place) => place.every((part, index) => path[index] === part));
  let loaded = withoutObjects({ ...whole, problems: [] }, unread);
  for (let round = 0; round < mostRounds; round += 1) {
    const { metadata, problems: plain } = validateMetadata(loaded, { allowUnsupported: true });
    const { merged } = loaded;
    const problems = plain.map((problem): PlacedProblem => placed(problem, merged));
    if (metadata !== undefined) return { loaded, metadata, problems: [...found, ...problems] };
    const invalid = problems.filter(({ kind }) => kind === "invalid");
    found.push(...invalid.filter(({ at }) => !isUnread(at)));
    const ignored = invalid.flatMap(({ passedOver, at }) => (passedOver === true && at.length > 0 ? [at] : []));
    const wrong = invalid.filter(({ passedOver }) => passedOver !== true).map(({ at }) => at);
    const configured = wrong.filter(([root, , key]) => root === "sources" && key === "configuration");
    const objects = wrong.filter((path) => !configured.includes(path));
    if (ignored.length + configured.length + objects.filter((path) => objectAround(path).length > 0).length === 0)
      return {
        loaded,
        metadata: undefined,
        problems: [...found, ...problems.filter(({ kind }) => kind !== "invalid")],
      };
    loaded = withoutObjects(
      withConfigurations(
        { ...loaded, merged: withoutAll(loaded.merged, ignored) as LoadedMetadata["merged"] },
        configured,
      ),
      objects,
    );
  }
  return { loaded, metadata: undefined, problems: found };
}

function placed(problem: Problem, merged: unknown): PlacedProblem {
  const [root, , kind] = problem.at;
  if (root !== "sources" || kind !== "tables") return problem;
  const entry = valueAt(merged, problem.at.slice(0, 4)) as { readonly table?: unknown } | undefined;
  const name = qualifiedName.safeParse(entry?.table);
  return name.success ? { ...problem, table: keyOf(name.data) } : problem;
}

/** Places of parts whose file cannot be read. */
function unreadPlaces(value: unknown, at: MergedPath): readonly MergedPath[] {
  if (value === undefined) return [at];
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, item]) =>
    unreadPlaces(item, [...at, Array.isArray(value) ? Number(key) : key]),
  );
}

export type ReadProject = Project & { readonly metadata: Metadata };

/** @param name name of the metadata in the error @throws UsageError that lists its problems with file and line */
export function examinable(project: Project, name: string): ReadProject {
  const { metadata } = project;
  if (metadata === undefined) throw unreadable(project, name);
  return { ...project, metadata };
}

function unreadable({ problems, positionOf }: Project, name: string): UsageError {
  const list = problems
    .filter(({ kind }) => kind === "invalid")
    .map((problem) => {
      const { file, line } = positionOf(problem);
      return `  ${file}:${line}: ${problem.reason}`;
    });
  return new UsageError(`the metadata ${name} cannot be read:\n${list.join("\n")}`);
}

type Sources = readonly ({ readonly name?: unknown; readonly kind?: unknown } | null)[];

/** undefined without a list of sources; the shape check reports that. */
const sourcesOf = ({ merged: { sources } }: LoadedMetadata) =>
  Array.isArray(sources) ? (sources as Sources) : undefined;

/** Only some of the sources, with unchanged positions in the files. */
function withSources(loaded: LoadedMetadata, kept: readonly number[]): LoadedMetadata {
  const sources = sourcesOf(loaded) ?? [];
  return {
    ...loaded,
    merged: { ...loaded.merged, sources: kept.map((index) => sources[index]) },
    locate: ([root, first, ...rest]) =>
      loaded.locate([
        ...(root === undefined ? [] : [root]),
        ...(first === undefined ? [] : [root === "sources" ? (kept[Number(first)] ?? first) : first]),
        ...rest,
      ]),
  };
}

/** Sources of other kinds than Postgres are not examined. */
function withoutForeignSources(loaded: LoadedMetadata): {
  readonly loaded: LoadedMetadata;
  readonly foreign: readonly Problem[];
} {
  const sources = sourcesOf(loaded) ?? [];
  const isOwn = (index: number) => ["postgres", "pg", undefined].includes(sources[index]?.kind as string | undefined);
  const kept = [...sources.keys()].filter(isOwn);
  if (kept.length === sources.length) return { loaded, foreign: [] };
  const foreign = [...sources.keys()]
    .filter((index) => !isOwn(index))
    .map((index): Problem => {
      const at = ["sources", index, "kind"];
      const reason = `the source ${String(sources[index]?.name)} is of the kind ${String(sources[index]?.kind)}; only Postgres sources are examined`;
      return { ...loaded.locate(at), at, kind: "unsupported", reason };
    });
  return { loaded: withSources(loaded, kept), foreign };
}

/** Only one source. The queries of collections can need the fields of the others. */
function oneOf(loaded: LoadedMetadata, index: number): LoadedMetadata {
  const { query_collections: _queries, allowlist: _allowed, ...others } = loaded.merged;
  return withSources((sourcesOf(loaded) ?? []).length > 1 ? { ...loaded, merged: others } : loaded, [index]);
}

export function eachSource(project: ReadProject): readonly ReadProject[] {
  return project.metadata.sources.map((source, index) => {
    const loaded = oneOf(project.loaded, index);
    const metadata = { ...project.metadata, sources: [source] };
    return { ...project, loaded, metadata, position: (merged) => project.positionOf(loaded.locate(merged)) };
  });
}

/** Metadata of one source only. @throws UsageError that lists the sources when none has the name */
export function ofOneSource(loaded: LoadedMetadata, name: string | undefined): LoadedMetadata {
  const sources = sourcesOf(loaded);
  if (sources === undefined || name === undefined) return loaded;
  const names = sources.map((source) => String(source?.name));
  const index = names.indexOf(name);
  if (index === -1) throw new UsageError(`there is no source ${name}; the metadata has ${names.join(", ") || "none"}`);
  return oneOf(loaded, index);
}

/** All files of a directory, because it is removed before positions are read. */
function filesBelow(root: string): readonly string[] {
  const entries = readdirSync(root, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => relative(root, join(entry.parentPath, entry.name)));
}

function read(file: string): string {
  try {
    return readRegularText(file);
  } catch {
    return "";
  }
}

/** A path may have spaces: Hasura's console accepts them in the name of a database. */
const include = /!include\s+([^"'\n]+?)\s*(?:["']|\s#|$)/gm;

function reached(file: string, seen: Set<string>, root: string): void {
  if (seen.has(file) || statSync(file, { throwIfNoEntry: false })?.isFile() !== true || leadsOutside(root, file))
    return;
  seen.add(file);
  for (const [, target] of read(file).matchAll(include))
    if (target !== undefined) reached(resolve(dirname(file), target), seen, root);
}

/** YAML files below `databases/` that no `!include` names, relative to the metadata directory. */
export function unincludedFiles(directory: string): readonly string[] {
  const root = resolve(directory);
  const start = join(root, "databases/databases.yaml");
  const seen = new Set<string>();
  reached(start, seen, root);
  if (seen.size === 0) return [];
  return readdirSync(join(root, "databases"), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.ya?ml$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((file) => !seen.has(file))
    .map((file) =>
      file
        .slice(root.length + 1)
        .split(sep)
        .join("/"),
    )
    .toSorted();
}
