import type { Mutation } from "./mutation.ts";

const permissions = ["engine/src/schema/permissions.test.ts"];
const verifier = ["engine/src/auth/token-verifier.test.ts"];
const authenticator = ["engine/src/auth/authenticator.test.ts"];
const suite = "unit";

/** Faults in permissions, tokens and the handling of hostile documents. */
export const engineMutations: readonly Mutation[] = [
  {
    fault: "the role's row filter is not in the statement, neither for rows nor behind aggregates",
    file: "engine/src/sql/select.ts",
    edits: [
      {
        from: "for (const condition of [query.permission, query.where])",
        to: "for (const condition of [query.where])",
      },
    ],
    suite,
    tests: permissions,
    noticedBy: "take session variables as parameters",
  },
  {
    fault: "a filter on related rows forgets the role's filter of those rows",
    file: "engine/src/sql/print.ts",
    edits: [
      { from: 'const allowed = isAlways(permission) ? "" :', to: 'const allowed = permission !== undefined ? "" :' },
    ],
    suite,
    tests: ["engine/src/sql/expression.test.ts"],
    noticedBy: "matches only related rows that the role may see",
  },
  {
    fault: "a pattern is matched against rows that the role may not see, and its error reveals them",
    file: "engine/src/sql/expression.ts",
    edits: [{ from: "if (isAlways(permission) || !canFail(condition)) return condition;", to: "return condition;" }],
    suite,
    tests: ["engine/src/sql/expression.test.ts"],
    noticedBy: "matches a pattern only against rows that the role may see",
  },
  {
    fault: "the role's row limit is not applied",
    file: "engine/src/execution/rows.ts",
    edits: [{ from: 'limit === "limited" ? target.permission.limit : undefined', to: "undefined" }],
    suite,
    tests: permissions,
    noticedBy: "LIMIT",
  },
  {
    fault: "every column of a table is shown to every role that sees the table",
    file: "engine/src/schema/permissions.ts",
    edits: [
      {
        from: "columns: new Map(columns.filter((column) => table.columns.has(column)).map((column) => [column, undefined])),",
        to: "columns: new Map([...table.columns.keys()].map((column) => [column, undefined])),",
      },
    ],
    suite,
    tests: permissions,
    noticedBy: "introspection shows no trace of it",
  },
  {
    fault: "root fields that a permission excludes stay",
    file: "engine/src/schema/permissions.ts",
    edits: [
      {
        from: "queryRootFields: permission.query_root_fields ? new Set(permission.query_root_fields) : undefined,",
        to: "queryRootFields: undefined,",
      },
    ],
    suite,
    tests: permissions,
    noticedBy: "query_root_fields and subscription_root_fields remove only root fields",
  },
  {
    fault: "any algorithm that fits the key verifies a token",
    file: "engine/src/auth/token-verifier.ts",
    edits: [{ from: "      algorithms,\n", to: "" }],
    suite,
    tests: verifier,
    noticedBy: "rejects every other algorithm",
  },
  {
    fault: "the algorithm `none` is accepted",
    file: "engine/src/auth/token-verifier.ts",
    edits: [
      {
        from: "    if (parts !== 3) throw malformedToken(parts);\n",
        to: '    if (parts !== 3) throw malformedToken(parts);\n    if (token.endsWith(".")) return decodeJwt(token);\n',
      },
    ],
    suite,
    tests: verifier,
    noticedBy: "rejects a token without signature",
  },
  {
    fault: "a token without an expiry never expires",
    file: "engine/src/auth/token-verifier.ts",
    edits: [{ from: 'requiredClaims: lax ? [] : ["exp"],', to: "requiredClaims: []," }],
    suite,
    tests: verifier,
    noticedBy: "rejects a token without exp",
  },
  {
    fault: "a token for another audience is accepted",
    file: "engine/src/auth/token-verifier.ts",
    edits: [
      {
        from: "audience: lax && present?.aud === undefined ? undefined : settings.audience,",
        to: "audience: undefined,",
      },
    ],
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
    noticedBy: "iat is in the future",
  },
  {
    fault: "a right master key hides a wrong one",
    file: "engine/src/auth/authenticator.ts",
    edits: [
      { from: "if (!isAdminSecret(value)) throw wrongAdminSecret();", to: "if (!isAdminSecret(value)) continue;" },
    ],
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
    noticedBy: "the engine's database role and its connections are read-only",
  },
  {
    fault: "a socket and its subscriptions outlive the token by a minute",
    file: "engine/src/websocket/connection.ts",
    edits: [{ from: "const left = at - now();", to: "const left = at + 60_000 - now();" }],
    suite,
    tests: ["engine/src/websocket/connection.test.ts"],
    noticedBy: "fires exactly on time",
  },
  {
    fault: "one socket may hold any number of subscriptions",
    file: "engine/src/websocket/operations.ts",
    edits: [
      {
        from: "if (this.#running.length >= this.#context.operationLimit) throw",
        to: "if (this.#running.length < 0) throw",
      },
    ],
    suite,
    tests: ["engine/src/websocket/server.test.ts"],
    noticedBy: "rejects operations over the limit",
  },
  {
    fault: "a plan of one role serves other roles with the same query",
    file: "engine/src/execution/embedded-engine.ts",
    edits: [
      { from: 'const key = `${role.length} ${role}${operationName ?? ""}', to: 'const key = `${operationName ?? ""}' },
    ],
    suite: "engine",
    tests: ["tests/engine/execution.test.ts"],
    noticedBy: "of one role is never used for another",
  },
  {
    fault: "subscribers of one live query get the first one's rows, despite other sessions and variables",
    file: "engine/src/subscriptions/live-cohort.ts",
    edits: [
      { from: "const memberKey = JSON.stringify(parameters);", to: "const memberKey = String(parameters.length);" },
    ],
    suite,
    tests: ["engine/src/subscriptions/subscriptions.test.ts"],
    noticedBy: "each with its own answer",
  },
  {
    fault: "the allow list of one role counts for every role",
    file: "engine/src/execution/allow-list.ts",
    edits: [{ from: "scope.roles.map((role) => this.#ofRole(role))", to: "[this.#global]" }],
    suite,
    tests: ["engine/src/execution/allow-list.test.ts"],
    noticedBy: "of anyone is allowed: false",
  },
  {
    fault: "the statement of a disconnected client runs to its end in Postgres",
    file: "engine/src/execution/database.ts",
    edits: [{ from: '    signal?.addEventListener("abort", cancel);\n', to: "" }],
    suite: "engine",
    tests: ["tests/engine/execution.test.ts"],
    noticedBy: "is cancelled in Postgres when its client disconnects",
  },
  {
    fault: "the later of two metadata changes from the same version overwrites the earlier",
    file: "engine/src/metadata-store/store.ts",
    edits: [
      {
        from: "WHERE id = 1 AND resource_version = $2 RETURNING",
        to: "WHERE id = 1 AND $2::integer IS NOT NULL RETURNING",
      },
    ],
    suite: "engine",
    tests: ["tests/engine/metadata-api.test.ts"],
    noticedBy: "rejects one of two changes of the same version",
  },
  {
    fault: "an argument of a native query becomes text of the SQL",
    file: "engine/src/sql/print.ts",
    edits: [
      {
        from: "[argument, this.parameter(parameter)]",
        to: "[argument, parameter.source.kind === \"constant\" && parameter.source.text !== null ? `'${parameter.source.text}'::${parameter.type}` : this.parameter(parameter)]",
      },
    ],
    suite: "engine",
    tests: ["tests/engine/native-queries.test.ts"],
    noticedBy: "shows its SQL, with the code in a WITH and without values",
  },
  {
    fault: "a relationship to a native query returns all of its rows, not only the related ones",
    file: "engine/src/sql/select.ts",
    edits: [
      {
        from: '"relationship" in query.source && query.source.relationship !== undefined',
        to: 'query.source.kind === "related"',
      },
    ],
    suite: "engine",
    tests: ["tests/engine/native-queries.test.ts"],
    noticedBy: "lead from native queries to tables and to native queries",
  },
  {
    fault: "the code of a native query may name the statement's parameters by their numbers",
    file: "engine/src/schema/native-queries.ts",
    edits: [{ from: 'if (groups?.["parameter"] !== undefined)', to: 'if (groups?.["parameters"] !== undefined)' }],
    suite,
    tests: ["engine/src/schema/native-queries.test.ts"],
    noticedBy: "because of a numbered parameter",
  },
  {
    fault: "the log contains Postgres' messages, which may quote rows and requests",
    file: "engine/src/http/request-log.ts",
    edits: [
      {
        from: "logger.error({ ...fields, cause: causeOf(error) }",
        to: "logger.error({ ...fields, internal: error.internal, cause: causeOf(error) }",
      },
    ],
    suite,
    tests: ["engine/src/lifecycle/run.test.ts"],
    noticedBy: "without messages or internals",
  },
  {
    fault: "a page of any origin opens sockets, with the visitor's cookies",
    file: "engine/src/websocket/server.ts",
    edits: [{ from: 'cors.allows(request.headers.origin ?? "")', to: "cors.isOpen !== undefined" }],
    suite,
    tests: ["engine/src/websocket/server.test.ts"],
    noticedBy: "gets 400 otherwise",
  },
];
