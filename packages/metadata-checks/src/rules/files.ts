import type { Rule } from "./rule.ts";

/** Its findings have no place in the merged metadata, so `shapeFindings` places them by their files. */
export const fileNotIncluded: Pick<Rule, "id" | "severity" | "finds" | "why" | "remedy"> = {
  id: "file-not-included",
  severity: "warning",
  finds: "a file below databases/ that nothing includes",
  why: "Whoever edits it believes that it counts; Hasura never reads it.",
  remedy: "include it in tables.yaml or functions.yaml, or delete it",
};
