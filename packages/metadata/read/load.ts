import { existsSync, lstatSync, readdirSync, realpathSync, statSync } from "node:fs";
import { dirname, join, normalize, relative, resolve, sep } from "node:path";
import { readRegularText, UnreadableText } from "@routeql/contract/written-text";
import { z } from "zod";
import { leadsOutside } from "./outside.ts";
import { isDeepEmpty } from "./shape-parts.ts";
import type { Problem } from "./problems.ts";
import { Repetitions } from "./yaml-values.ts";
import { YamlFile } from "./yaml.ts";

export type MergedPath = readonly (string | number)[];

/** The value at a path of members; undefined where one is missing. */
export const valueAt = (value: unknown, path: MergedPath): unknown =>
  path.reduce<unknown>(
    (inner, key) =>
      typeof inner === "object" ? (inner as Readonly<Record<string | number, unknown>> | null)?.[key] : undefined,
    value,
  );

/** Metadata with resolved includes, and the origin of each part. */
export interface LoadedMetadata {
  /** The content of an unreadable file is `undefined`. */
  readonly merged: Readonly<Record<string, unknown>>;
  readonly problems: readonly Problem[];
  /** The file of a place in the merged metadata, with the path and the line in it, if there is a file. */
  locate(path: MergedPath): Place;
}

export interface Place {
  readonly file: string;
  readonly path: string;
  /** From 1. */
  readonly line?: number;
}

const versionFile = "version.yaml";

/** Files with the tables, and their keys in the merged metadata, by version of the directory. Version 2 has no sources. */
const tableFiles = {
  2: { "tables.yaml": "tables", "functions.yaml": "functions" },
  3: { "databases/databases.yaml": "sources" },
} as const;

/** Further files of a metadata directory, and their keys in the merged metadata. */
const directoryFiles: Readonly<Record<string, string>> = {
  "inherited_roles.yaml": "inherited_roles",
  "query_collections.yaml": "query_collections",
  "allow_list.yaml": "allowlist",
  "graphql_schema_introspection.yaml": "graphql_schema_introspection",
  "actions.yaml": "actions",
  "actions.graphql": "actions_types",
  "api_limits.yaml": "api_limits",
  "backend_configs.yaml": "backend_configs",
  "cron_triggers.yaml": "cron_triggers",
  "metrics_config.yaml": "metrics_config",
  "network.yaml": "network",
  "opentelemetry.yaml": "opentelemetry",
  "remote_schemas.yaml": "remote_schemas",
  "rest_endpoints.yaml": "rest_endpoints",
};

/** Files that can be misspelt metadata files, unlike a README. */
const couldBeMetadata = /\.(ya?ml|json|graphql)$/i;

/** Other included files are texts, as for Hasura's CLI, such as the SQL of a native query. */
const isData = /\.(ya?ml|json)$/i;

/** The work for a file that is included again, in values of YAML. */
const costOfInclude = 20;

class Loader {
  readonly problems: Problem[] = [];
  readonly #files = new Map<string, YamlFile>();
  readonly #repetitions = new Repetitions();
  /** Whether too many repetitions were reported. */
  #isFull = false;
  readonly #origins = new WeakMap<object, string>();
  readonly #root: string;

  constructor(root: string) {
    this.#root = root;
  }

  #display(file: string): string {
    return relative(this.#root, file).split(sep).join("/");
  }

  #problem(file: string, path: string, reason: string, line?: number): void {
    this.problems.push({
      file: this.#display(file),
      path,
      reason,
      kind: "invalid",
      at: [],
      ...(line === undefined ? {} : { line }),
    });
  }

  line(file: string, path: MergedPath): number | undefined {
    return this.#files.get(file)?.line(path);
  }

  /** @param place place of the last include of the file */
  read(file: string, including: readonly string[] = [], place: MergedPath = [], line?: number): unknown {
    const name = this.#display(file);
    const known = this.#files.get(name);
    if (known !== undefined) {
      this.#repetitions.take(costOfInclude);
      return this.#value(known, file, including, true);
    }
    let text: string;
    if (leadsOutside(this.#root, file)) {
      const reason = "is a symbolic link to a file outside of the metadata directory";
      const from = including.at(-1);
      if (from === undefined) this.#problem(file, "", reason);
      else this.#problem(from, printPath(place), `includes ${name}, which ${reason}`, line);
      return undefined;
    }
    try {
      text = readRegularText(file);
    } catch (error) {
      const from = including.at(-1);
      const { code = "unknown error" } = error as NodeJS.ErrnoException;
      const other = code === "ENOENT" ? undefined : `cannot be read (${code})`;
      if (error instanceof UnreadableText) this.#problem(file, "", error.message, error.line);
      else if (from === undefined) this.#problem(file, "", `this file ${other ?? "is missing"}`);
      else {
        const remedy = name.includes("\\") ? ". Write / in place of \\" : "";
        const reason = other ?? `does not exist${remedy}`;
        this.#problem(from, printPath(place), `includes ${name}, which ${reason}`, line);
      }
      return undefined;
    }
    if (including.length > 0 && !isData.test(file)) return text;
    if (file.endsWith(".graphql")) return text.replaceAll(/#.*$/gm, "").trim() === "" ? null : text;
    const parsed = new YamlFile(text);
    for (const { reason, line: wrong } of parsed.problems) this.#problem(file, "", reason, wrong);
    if (parsed.problems.length > 0) return undefined;
    this.#files.set(name, parsed);
    return this.#value(parsed, file, including, false);
  }

  #value(parsed: YamlFile, file: string, including: readonly string[], again: boolean): unknown {
    const { value, problem } = parsed.read({
      again,
      repetitions: this.#repetitions,
      include: (target, path, line) => this.#include(target, file, [...including, file], path, line),
    });
    if (problem !== undefined && !this.#isFull) this.#problem(file, "", problem.reason, problem.line);
    if (this.#repetitions.isUsedUp) this.#isFull = true;
    if (typeof value === "object" && value !== null && !this.#origins.has(value))
      this.#origins.set(value, this.#display(file));
    return value;
  }

  #include(written: string, file: string, including: readonly string[], path: MergedPath, line: number): unknown {
    const target = resolve(dirname(file), normalize(written));
    if (!target.startsWith(this.#root + sep)) {
      this.#problem(file, printPath(path), `includes ${written}, which is outside of the metadata directory`, line);
      return undefined;
    }
    if (including.includes(target)) {
      this.#problem(file, printPath(path), `includes ${this.#display(target)} from within itself`, line);
      return undefined;
    }
    const value = this.read(target, including, path, line);
    if (value !== null) return value;
    const reason = `includes ${this.#display(target)}, which holds no value, so Hasura's CLI crashes. Write [] or {} into it`;
    this.#problem(file, printPath(path), reason, line);
    return undefined;
  }

  origin(value: unknown): string | undefined {
    return typeof value === "object" && value !== null ? this.#origins.get(value) : undefined;
  }
}

export function printPath(path: MergedPath): string {
  return path
    .map((part, index) => (typeof part === "number" ? `[${part}]` : `${index === 0 ? "" : "."}${part}`))
    .join("");
}

function locator(
  merged: unknown,
  rootFile: string,
  loader: Loader | undefined,
  fileOfKey: ReadonlyMap<string, string>,
) {
  return (path: MergedPath): Place => {
    let file = rootFile;
    let start = 0;
    let value: unknown = merged;
    for (const [index, part] of path.entries()) {
      if (index === 0) {
        const own = fileOfKey.get(String(part));
        if (own !== undefined) {
          file = own;
          start = 1;
        }
      }
      value =
        typeof value === "object" && value !== null ? (value as Record<string | number, unknown>)[part] : undefined;
      const origin = loader?.origin(value);
      if (origin !== undefined) {
        file = origin;
        start = index + 1;
      }
    }
    const own = path.slice(start);
    const line = loader?.line(file, own);
    return { file, path: printPath(own), ...(line === undefined ? {} : { line }) };
  };
}

function loadDirectory(directory: string): LoadedMetadata {
  const root = resolve(directory);
  const loader = new Loader(root);
  const written = loader.read(join(root, versionFile));
  const version = typeof written === "object" && written !== null && "version" in written ? written.version : undefined;
  const merged: Record<string, unknown> = written !== undefined && version === undefined ? {} : { version };
  const fileOfKey = new Map([["version", versionFile]]);
  const required: Readonly<Record<string, string>> = tableFiles[version === 2 ? 2 : 3];
  for (const [name, key] of Object.entries({ ...required, ...directoryFiles })) {
    const file = join(root, name);
    // A link to a missing file is no missing file: the limits or rules in it would be left out.
    if (required[name] === undefined && lstatSync(file, { throwIfNoEntry: false }) === undefined) continue;
    const value = loader.read(file);
    if (value !== null && !(key === "actions" && isDeepEmpty(value))) {
      merged[key] = value;
      fileOfKey.set(key, name);
    }
  }
  // Some projects have the config.yaml of the Hasura CLI in this folder.
  const known = new Set(["config.yaml", versionFile, ...Object.keys(required), ...Object.keys(directoryFiles)]);
  for (const entry of readdirSync(root, { withFileTypes: true })) {
    const expected = entry.isDirectory()
      ? entry.name === "databases" || entry.name === "remote_schemas"
      : known.has(entry.name) || !couldBeMetadata.test(entry.name);
    if (!expected && !entry.name.startsWith(".")) {
      const reason = "this file is not part of a metadata v3 directory";
      loader.problems.push({ file: entry.name, path: "", reason, kind: "invalid", passedOver: true, at: [] });
    }
  }
  return { merged, problems: loader.problems, locate: locator(merged, versionFile, loader, fileOfKey) };
}

/** Of a file `NAME.json` that a program has joined from other files: their lines, by the path of a part, in `NAME.places.json`. */
const places = z.record(z.string(), z.strictObject({ file: z.string(), line: z.number().optional() }));

export const placesFile = (file: string): string => file.replace(/(?:\.json)?$/, ".places.json");

/** Locates parts in the files from which a file was joined. */
function withPlaces(file: string, locate: LoadedMetadata["locate"]): LoadedMetadata["locate"] {
  const beside = placesFile(file);
  if (lstatSync(beside, { throwIfNoEntry: false })?.isFile() !== true) return locate;
  const known = new Map(Object.entries(places.parse(JSON.parse(readRegularText(beside)))));
  return (path) => {
    for (let depth = path.length; depth > 0; depth -= 1) {
      const found = known.get(printPath(path.slice(0, depth)));
      if (found !== undefined) return { ...found, path: printPath(path) };
    }
    return locate(path);
  };
}

/** Reads a metadata directory of version 3, or of version 2, or one file with the merged metadata (bare or as `export_metadata` returns it). */
export function loadMetadata(source: string | Readonly<Record<string, unknown>>): LoadedMetadata {
  if (typeof source !== "string") {
    return { merged: source, problems: [], locate: locator(source, "metadata", undefined, new Map()) };
  }
  if (statSync(source, { throwIfNoEntry: false })?.isDirectory() === true) return loadDirectory(source);
  // The caller chose the file, which may be a link.
  const file = existsSync(source) ? realpathSync(source) : resolve(source);
  const loader = new Loader(dirname(file));
  const value = loader.read(file);
  const record = (typeof value === "object" && value !== null ? value : {}) as Record<string, unknown>;
  const wrapped = record["metadata"];
  const merged = typeof wrapped === "object" && wrapped !== null ? (wrapped as Record<string, unknown>) : record;
  const name = source.split(/[/\\]/).at(-1) ?? source;
  return { merged, problems: loader.problems, locate: withPlaces(file, locator(merged, name, loader, new Map())) };
}
