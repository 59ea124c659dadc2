import type { MergedPath } from "./load.ts";

/** A copy of the value without the part at the path. */
function without(value: unknown, path: MergedPath): unknown {
  const [head, ...rest] = path;
  if (head === undefined || typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) {
    return rest.length === 0
      ? value.filter((_item, index) => index !== head)
      : value.map((item, index) => (index === head ? without(item, rest) : item));
  }
  if (rest.length === 0) return Object.fromEntries(Object.entries(value).filter(([key]) => key !== head));
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key, key === head ? without(item, rest) : item]),
  );
}

/** A copy without the parts at the paths. */
export function withoutAll(value: unknown, paths: readonly MergedPath[]): unknown {
  const unique = [...new Map(paths.map((path) => [JSON.stringify(path), path])).values()];
  // From the end, so that earlier positions do not change.
  return unique
    .sort(compare)
    .toReversed()
    .reduce<unknown>((rest, path) => without(rest, path), value);
}

function compare(one: MergedPath, other: MergedPath): number {
  for (const [index, part] of one.entries()) {
    const against = other[index];
    if (against === undefined) return 1;
    if (part === against) continue;
    if (typeof part === "number" && typeof against === "number") return part - against;
    return String(part) < String(against) ? -1 : 1;
  }
  return one.length - other.length;
}
