import type { MergedPath } from "./load.ts";

/** A copy of the value without what is at the path. */
function without(value: unknown, path: MergedPath): unknown {
  const [head, ...rest] = path;
  if (head === undefined || typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) {
    return rest.length === 0 ? value.filter((_item, index) => index !== head) : value.map((item, index) => (index === head ? without(item, rest) : item));
  }
  if (rest.length === 0) return Object.fromEntries(Object.entries(value).filter(([key]) => key !== head));
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, key === head ? without(item, rest) : item]));
}

/** A copy without what is at any of the paths. */
export function withoutAll(value: unknown, paths: readonly MergedPath[]): unknown {
  const unique = [...new Map(paths.map((path) => [JSON.stringify(path), path])).values()];
  // From the back, so that the positions of those in front stay what they are.
  return unique.sort(compare).toReversed().reduce<unknown>((rest, path) => without(rest, path), value);
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
