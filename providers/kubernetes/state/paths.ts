import { canonical, isUnknown } from "../../shared/values.ts";

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** A path to a value within an object: field names and list indexes. */
export type Path = readonly string[];

/** The smallest differing paths of two values. Fields without a value do not count, and an unknown value differs from every other. */
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
  const entries = isObject(value)
    ? Object.entries(value)
    : Array.isArray(value)
      ? value.map((entry, index) => [String(index), entry] as const)
      : [];
  return entries.length === 0 ? [path] : entries.flatMap(([name, entry]) => leaves(entry, [...path, name]));
}

export function valueAt(value: unknown, path: Path): unknown {
  return path.reduce<unknown>(
    (inner, name) =>
      typeof inner === "object" && inner !== null ? (inner as Record<string, unknown>)[name] : undefined,
    value,
  );
}

/** Whether the value contains unknown values. */
export function hasUnknown(value: unknown): boolean {
  if (Array.isArray(value)) return value.some(hasUnknown);
  return isObject(value) ? Object.values(value).some(hasUnknown) : isUnknown(value);
}

/**
 * Differences between two states of an object among the declared fields; fields that the server or other clients add do not count.
 * @param inputs the declared fields, now or before
 */
export function differencesAmong(inputs: readonly unknown[], left: unknown, right: unknown): Path[] {
  const paths = new Map(inputs.flatMap((input) => leaves(input)).map((path) => [path.join("\0"), path]));
  return [...paths.values()].filter(
    (path) => canonical(valueAt(left, path) ?? null) !== canonical(valueAt(right, path) ?? null),
  );
}

export const pathText = (path: Path): string => path.join(".");
