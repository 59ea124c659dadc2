/**
 * Places of objects in merged metadata, and copies of metadata with one changed place. Nothing is changed in place.
 * @module
 */
import type { MergedPath } from "@routeql/metadata/read/load";
import { qualifiedName, type QualifiedName } from "@routeql/metadata/read/shape-parts";
import { withoutAll } from "@routeql/metadata/read/validate";
import { refusal, type Json } from "./change.ts";

export function valueAt(metadata: unknown, path: MergedPath): unknown {
  return path.reduce<unknown>(
    (value, part) =>
      typeof value === "object" && value !== null ? (value as Record<string | number, unknown>)[part] : undefined,
    metadata,
  );
}

export function listAt(metadata: Json, path: MergedPath): readonly Json[] {
  const list = valueAt(metadata, path);
  return Array.isArray(list) ? (list as Json[]) : [];
}

function put(value: unknown, [head, ...rest]: MergedPath, item: unknown): unknown {
  if (head === undefined) return item;
  if (Array.isArray(value)) return value.with(Number(head), put(value[Number(head)], rest, item));
  const fields = (value ?? {}) as Json;
  return { ...fields, [head]: put(fields[head], rest, item) };
}

/** A copy with another value at a place; missing parents are created. */
export function withValue(metadata: Json, path: MergedPath, item: unknown): Json {
  return put(metadata, path, item) as Json;
}

export function without(metadata: Json, path: MergedPath): Json {
  return withoutAll(metadata, [path]) as Json;
}

/** A copy with an item in the list at a place: it replaces the one with the same `key`, or is appended. */
export function withItem(metadata: Json, path: MergedPath, item: Json, key?: string): Json {
  const list = listAt(metadata, path);
  const known = key === undefined ? -1 : list.findIndex((other) => other[key] === item[key]);
  return withValue(metadata, path, known === -1 ? [...list, item] : list.with(known, item));
}

/** Place of the list item whose `key` has the value; undefined when there is none. */
export function itemAt(metadata: Json, path: MergedPath, key: string, value: unknown): MergedPath | undefined {
  const index = listAt(metadata, path).findIndex((item) => item[key] === value);
  return index === -1 ? undefined : [...path, index];
}

export function sourceAt(metadata: Json, name: string): MergedPath | undefined {
  return itemAt(metadata, ["sources"], "name", name);
}

/** @throws EngineError `not-exists` */
export function knownSource(metadata: Json, name: string): MergedPath {
  const path = sourceAt(metadata, name);
  if (path === undefined) throw refusal("not-exists", `source with name "${name}" does not exist`);
  return path;
}

/** Hasura's notation for the name of a table or function: the schema only if it is not `public`. */
export function nameText({ schema, name }: QualifiedName): string {
  return schema === "public" ? name : `${schema}.${name}`;
}

/** Place of a tracked table or function; undefined when it is not tracked. */
export function trackedAt(
  metadata: Json,
  source: string,
  kind: "table" | "function",
  wanted: QualifiedName,
): MergedPath | undefined {
  const owner = sourceAt(metadata, source);
  if (owner === undefined) return undefined;
  const list = [...owner, `${kind}s`];
  const index = listAt(metadata, list).findIndex((entry) => {
    const known = qualifiedName.safeParse(entry[kind]).data;
    return known?.schema === wanted.schema && known.name === wanted.name;
  });
  return index === -1 ? undefined : [...list, index];
}

/** @throws EngineError `not-exists` */
export function known(
  metadata: Json,
  source: string,
  kind: "table" | "function",
  wanted: QualifiedName,
  errorPath?: string,
): MergedPath {
  const path = trackedAt(metadata, source, kind, wanted);
  if (path === undefined)
    throw refusal("not-exists", `${kind} "${nameText(wanted)}" does not exist in source: ${source}`, errorPath);
  return path;
}
