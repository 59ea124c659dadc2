import type { Rule } from "./rule.ts";

/** Its findings have no place in the merged metadata; `shapeFindings` uses their files. */
export const fileNotIncluded: Pick<Rule, "id" | "severity" | "finds" | "why" | "remedy"> = {
  id: "file-not-included",
  severity: "warning",
  finds: "a file below databases/ that nothing includes",
  why: "Hasura never reads the file, so changes to it have no effect.",
  remedy: "include it in tables.yaml or functions.yaml, or delete it",
};
