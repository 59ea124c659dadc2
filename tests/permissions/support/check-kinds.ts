/** Kinds of checks of `hasura-checks permissions` that every metadata with rows for a role has. */
export const checkKinds = [
  "schema",
  "execution",
  "rows",
  "limit",
  "aggregates",
  "relationships",
  "hidden-rows",
  "sessions",
] as const;
