import type { Mutation } from "./mutation.ts";

const permissions = ["engine/src/schema/permissions.test.ts"];
const verifier = ["engine/src/auth/token-verifier.test.ts"];
const authenticator = ["engine/src/auth/authenticator.test.ts"];
const suite = "unit";

/** What the engine makes of permissions, tokens and hostile documents. */
export const engineMutations: readonly Mutation[] = [
  {
    fault: "the role's row filter is not in the statement, neither for rows nor behind aggregates",
    file: "engine/src/sql/select.ts",
    edits: [{ from: "for (const condition of [query.permission, query.where])", to: "for (const condition of [query.where])" }],
    suite,
    tests: permissions,
    noticedBy: "take session variables as parameters",
  },
  {
    fault: "a filter on related rows forgets the role's filter of those rows",
    file: "engine/src/sql/print.ts",
    edits: [{ from: 'const allowed = isAlways(permission) ? "" :', to: 'const allowed = permission !== undefined ? "" :' }],
    suite,
    tests: ["engine/src/sql/guard.test.ts"],
    noticedBy: "is only met by related rows that the role may see",
  },
  {
    fault: "a pattern is tried on rows that the role may not see, and its error tells of them",
    file: "engine/src/sql/guard.ts",
    edits: [{ from: "if (isAlways(permission) || !canFail(condition)) return condition;", to: "return condition;" }],
    suite,
    tests: ["engine/src/sql/guard.test.ts"],
    noticedBy: "a pattern is only matched against rows that the role may see",
  },
  {
    fault: "the role's row limit is not applied",
    file: "engine/src/execution/rows.ts",
    edits: [{ from: "applyLimit ? target.permission.limit : undefined", to: "undefined" }],
    suite,
    tests: permissions,
    noticedBy: "LIMIT",
  },
  {
    fault: "every column of a table is shown to every role that sees the table",
    file: "engine/src/schema/permissions.ts",
    edits: [{ from: "columns: new Map(columns.filter((column) => table.columns.has(column)).map((column) => [column, undefined])),", to: "columns: new Map([...table.columns.keys()].map((column) => [column, undefined]))," }],
    suite,
    tests: permissions,
    noticedBy: "introspection shows no trace of it",
  },
  {
    fault: "root fields that a permission takes away stay",
    file: "engine/src/schema/permissions.ts",
    edits: [{ from: "queryRootFields: permission.query_root_fields ? new Set(permission.query_root_fields) : undefined,", to: "queryRootFields: undefined," }],
    suite,
    tests: permissions,
    noticedBy: "query_root_fields and subscription_root_fields take root fields away",
  },
  {
    fault: "any algorithm that fits the key verifies a token",
    file: "engine/src/auth/token-verifier.ts",
    edits: [{ from: "      algorithms,\n", to: "" }],
    suite,
    tests: verifier,
    noticedBy: "refuses every other algorithm",
  },
  {
    fault: "the algorithm `none` is accepted",
    file: "engine/src/auth/token-verifier.ts",
    edits: [{ from: "    if (parts !== 3) throw malformedToken(parts);\n", to: '    if (parts !== 3) throw malformedToken(parts);\n    if (token.endsWith(".")) return decodeJwt(token);\n' }],
    suite,
    tests: verifier,
    noticedBy: "refuses a token without signature",
  },
  {
    fault: "a token without an end lives for ever",
    file: "engine/src/auth/token-verifier.ts",
    edits: [{ from: 'requiredClaims: lax ? [] : ["exp"],', to: "requiredClaims: []," }],
    suite,
    tests: verifier,
    noticedBy: "a token without exp is refused",
  },
  {
    fault: "a token for another audience is taken",
    file: "engine/src/auth/token-verifier.ts",
    edits: [{ from: "audience: lax && present?.aud === undefined ? undefined : settings.audience,", to: "audience: undefined," }],
    suite,
    tests: verifier,
    noticedBy: "audience",
  },
  {
    fault: "a token from the future is taken",
    file: "engine/src/auth/token-verifier.ts",
    edits: [{ from: "payload.iat * 1000 > now() + settings.allowed_skew * 1000", to: "payload.iat * 1000 > Infinity" }],
    suite,
    tests: verifier,
    noticedBy: "a token whose iat is from the future is refused",
  },
  {
    fault: "a right master key hides a wrong one",
    file: "engine/src/auth/authenticator.ts",
    edits: [{ from: "if (!isAdminSecret(value)) throw wrongAdminSecret();", to: "if (!isAdminSecret(value)) continue;" }],
    suite,
    tests: authenticator,
    noticedBy: "a right secret does not hide a wrong one",
  },
  {
    fault: "a client chooses a role that its token does not allow",
    file: "engine/src/auth/authenticator.ts",
    edits: [{ from: "if (!token.allowedRoles.has(role)) {", to: "if (token.allowedRoles.size === 0) {" }],
    suite,
    tests: authenticator,
    noticedBy: "allow",
  },
  {
    fault: "the engine's connections may write",
    file: "engine/src/execution/source-connections.ts",
    edits: [{ from: "-c default_transaction_read_only=on ", to: "" }],
    suite: "engine",
    tests: ["tests/engine/roles.test.ts"],
    noticedBy: "its connections would not either",
  },
];
