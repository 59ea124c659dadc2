/** Operations on rows. Each has its own root field in `query` or `subscription`. */
export const operations = [
  "query",
  "query by key",
  "query aggregate",
  "live query",
  "live query by key",
  "live aggregate",
  "stream",
] as const;
export type Operation = (typeof operations)[number];
