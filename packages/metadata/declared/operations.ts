/** How rows can be asked for; each is a root field of its own, under `query` or `subscription`. */
export const operations = ["query", "query by key", "query aggregate", "live query", "live query by key", "live aggregate", "stream"] as const;
export type Operation = (typeof operations)[number];
