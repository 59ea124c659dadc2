import type { MergedPath } from "./load.ts";

/** A copy of the value without what is at the path. */
export function without(value: unknown, path: MergedPath): unknown {
  const [head, ...rest] = path;
  if (head === undefined || typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) {
    return rest.length === 0 ? value.filter((_item, index) => index !== head) : value.map((item, index) => (index === head ? without(item, rest) : item));
  }
  if (rest.length === 0) return Object.fromEntries(Object.entries(value).filter(([key]) => key !== head));
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, key === head ? without(item, rest) : item]));
}
