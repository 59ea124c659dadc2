import { readdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { loadMetadata, type LoadedMetadata, type MergedPath } from "../../../../engine/src/metadata/load.ts";
import type { Problem } from "../../../../engine/src/metadata/problems.ts";
import type { Metadata } from "../../../../engine/src/metadata/shape.ts";
import { validateMetadata } from "../../../../engine/src/metadata/validate.ts";
import { UsageError } from "../cli/usage-error.ts";
import { lineOf } from "./lines.ts";

/** A file, relative to the working directory, and a line in it from 1. */
export interface Position {
  readonly file: string;
  readonly line: number;
}

/** Metadata as they were read, with the place of everything in them. */
export interface Project {
  readonly loaded: LoadedMetadata;
  /** undefined: their shape is wrong, and `problems` says how. */
  readonly metadata: Metadata | undefined;
  readonly problems: readonly Problem[];
  readonly position: (path: MergedPath) => Position;
  readonly positionOf: (problem: Pick<Problem, "file" | "path">) => Position;
}

/**
 * Reads a metadata v3 directory, or one file with all of them.
 * @param shown what stands before a file's name in positions; default: the directory as seen from the working directory
 * @param narrow takes the part of them that is looked at
 * @throws UsageError when there is nothing
 */
export function readProject(source: string, directory: string, shown?: string, narrow = (loaded: LoadedMetadata) => loaded): Project {
  const path = resolve(directory, source);
  const status = statSync(path, { throwIfNoEntry: false });
  if (status === undefined) throw new UsageError(`there are no metadata at ${source}`);
  const root = status.isDirectory() ? path : dirname(path);
  const loaded = narrow(loadMetadata(path));
  const { metadata, problems } = validateMetadata(loaded, true);
  const texts = new Map<string, string>(shown === undefined ? [] : filesBelow(root).map((file) => [file, read(join(root, file))]));
  const textOf = (file: string) => {
    const known = texts.get(file) ?? read(join(root, file));
    texts.set(file, known);
    return known;
  };
  const positionOf = ({ file, path: inside }: Pick<Problem, "file" | "path">): Position => ({
    file: shown === undefined ? relative(directory, join(root, file)) : join(shown, file),
    line: lineOf(textOf(file), inside),
  });
  return { loaded, metadata, problems, positionOf, position: (merged) => positionOf(loaded.locate(merged)) };
}

/**
 * Metadata of one of their sources alone; positions stay those of the files.
 * @throws UsageError that lists the sources when none has the name, or when there are several and no name
 */
export function ofOneSource(loaded: LoadedMetadata, name: string | undefined): LoadedMetadata {
  const { sources } = loaded.merged;
  // What has no list of sources is told by the check of its shape.
  if (!Array.isArray(sources)) return loaded;
  const names = (sources as readonly ({ readonly name?: unknown } | null)[]).map((source) => String(source?.name));
  if (names.length === 0) throw new UsageError("these metadata have no source");
  if (name === undefined && names.length > 1) throw new UsageError(`these metadata have ${names.length} sources, of which one is looked at: give --source ${names.join(" or --source ")}`);
  const index = name === undefined ? 0 : names.indexOf(name);
  if (index === -1) throw new UsageError(`there is no source ${name}; there ${names.length === 1 ? "is" : "are"} ${names.join(", ")}`);
  return {
    ...loaded,
    merged: { ...loaded.merged, sources: [(sources as readonly unknown[])[index]] },
    locate: ([root, first, ...rest]) => loaded.locate(root === undefined ? [] : root === "sources" && first === 0 ? [root, index, ...rest] : first === undefined ? [root] : [root, first, ...rest]),
  };
}

/** A directory that will be gone when positions in it are asked for. */
function filesBelow(root: string): readonly string[] {
  const entries = readdirSync(root, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => relative(root, join(entry.parentPath, entry.name)));
}

function read(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return "";
  }
}
