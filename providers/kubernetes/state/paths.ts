import { canonical, isUnknown } from "../../shared/values.ts";

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** A path to a value within an object: names, and numbers of list entries. */
export type Path = readonly string[];

/**
 * Where two values differ, by the paths of the smallest differing parts. Fields without a value do not count, and a value that is
 * not known yet differs from every other.
 */
export function differences(left: unknown, right: unknown, path: Path = []): Path[] {
  if (isUnknown(right) || isUnknown(left)) return [path];
  if (isObject(left) && isObject(right)) {
    const names = new Set([...Object.keys(left), ...Object.keys(right)]);
    return [...names].flatMap((name) => differences(left[name], right[name], [...path, name]));
  }
  if (Array.isArray(left) && Array.isArray(right) && left.length === right.length) {
    return left.flatMap((entry, index) => differences(entry, right[index], [...path, String(index)]));
  }
  return canonical(left ?? null) === canonical(right ?? null) ? [] : [path];
}

/** Paths of every plain value, empty list and empty object within a value. */
export function leaves(value: unknown, path: Path = []): Path[] {
  if (value === undefined || value === null) return [];
  const entries = isObject(value) ? Object.entries(value) : Array.isArray(value) ? value.map((entry, index) => [String(index), entry] as const) : [];
  return entries.length === 0 ? [path] : entries.flatMap(([name, entry]) => leaves(entry, [...path, name]));
}

export function valueAt(value: unknown, path: Path): unknown {
  return path.reduce<unknown>((inner, name) => (typeof inner === "object" && inner !== null ? (inner as Record<string, unknown>)[name] : undefined), value);
}

/** Whether any value within is not known yet. */
export function hasUnknown(value: unknown): boolean {
  if (Array.isArray(value)) return value.some(hasUnknown);
  return isObject(value) ? Object.values(value).some(hasUnknown) : isUnknown(value);
}

/**
 * Where two states of an object differ among what the inputs say: fields that the server or others add do not count.
 * @param inputs what is asked for, now or before
 */
export function differencesAmong(inputs: readonly unknown[], left: unknown, right: unknown): Path[] {
  const paths = new Map(inputs.flatMap((input) => leaves(input)).map((path) => [path.join("\0"), path]));
  return [...paths.values()].filter((path) => canonical(valueAt(left, path) ?? null) !== canonical(valueAt(right, path) ?? null));
}

export const pathText = (path: Path): string => path.join(".");
