/** The embedded engine: Hasura v2's API over metadata v3 and Postgres, in this process. `createEngine` of engine.ts creates one. */
import type { Inconsistency, Problem } from "@routeql/metadata/read/problems";
import type { Span } from "@routeql/tracing/span";
import type { CostLimits } from "./cost/limits.ts";
import type { Cancellation } from "./cancellation.ts";
import type { EngineError } from "./errors.ts";
import type { ChangeObserver, NoticeFigures, Observation } from "./notices/observation.ts";
import type { Bytes } from "./postgres/bytes.ts";

/** The requesting session. `admin` has access to everything; every other role only to its permissions in the metadata. */
export interface Session {
  readonly role: string;
  /** Lower-case `x-hasura-*` names. */
  readonly variables: ReadonlyMap<string, string>;
  /** True only for role `admin`, from the admin secret or a token with that role. */
  readonly isAdmin: boolean;
  /** Whether permissions apply that are `backend_only`: the request has the admin secret and asks for them. */
  readonly isBackend?: boolean;
  /** The account or address of the session. All sessions of one client use one share of the connections; default: the role. */
  readonly client?: string;
  /** The client's proof of its rights, for audit events: `access key`, or `token` with its id. */
  readonly credential?: string;
}

export interface GraphQLRequest {
  readonly query: string;
  readonly variables?: Record<string, unknown> | null;
  readonly operationName?: string | null;
}

export interface ExecuteOptions {
  /** An AbortSignal or the like: aborting cancels the running statement in Postgres and rejects with the signal's reason. */
  readonly signal?: Cancellation;
  /** Address of the client and id of the request, for audit events. */
  readonly address?: string | undefined;
  readonly requestId?: string | undefined;
  /** Span of the operation, which gets the operation's name and a child for its plan and for each statement. */
  readonly span?: Span | undefined;
}

export interface PollOptions extends Pick<ExecuteOptions, "signal"> {
  /** {@link Session.client} of all members; absent when they belong to several. */
  readonly client?: string | undefined;
}

/** One live query or stream. Equal `cohortKey` means equal role and statement; members with equal `parameters` can be merged. */
export interface LiveQuery {
  readonly kind: "live" | "stream";
  readonly cohortKey: string;
  /** Arguments of `poll` for this member; JSON-like values, comparable by `JSON.stringify`. */
  readonly parameters: readonly unknown[];
  /** {@link Session.client} of the requesting session. */
  readonly client: string;
}

/** A mutation that was rolled back. */
export interface Rehearsal {
  readonly reply: string;
  /** Rows of the statement that was given, in the transaction of the mutation, as texts of Postgres. */
  readonly before: readonly (readonly (string | null)[])[];
  readonly after: readonly (readonly (string | null)[])[];
}

export interface PollAnswer {
  /** Reply text: `{"data":…}`, or `{"errors":[…]}` when `failed`. */
  readonly text: string;
  readonly failed: boolean;
  /** The reason of a failure that the member itself causes, not the database: a retry would fail again. */
  readonly fault?: EngineError;
  /** Set when the engine was too busy for this poll: a later poll can succeed. */
  readonly overload?: EngineError;
  /** Whether a later poll can succeed: the engine was too busy, or the database did not answer. */
  readonly mayPass?: boolean;
  /** Streams only: the answer has no new row, and nothing needs to be sent. */
  readonly empty: boolean;
  /** Streams only: parameters of the next poll (the cursor advanced); absent when the cursor did not move. */
  readonly nextParameters?: readonly unknown[];
}

export interface ExplainedField {
  readonly field: string;
  /** null for a field without a statement. */
  readonly sql: string | null;
  readonly plan: readonly string[] | null;
}

export interface ExplainedSubscription {
  readonly sql: string;
  readonly plan: readonly string[];
  readonly variables: ExplainedVariables;
  /** Whether changes are noticed, of which tables, or why the statement is polled. */
  readonly changes: { readonly noticed: boolean; readonly tables: readonly string[]; readonly reason: string | null };
}

/** Values of a subscription's parameters as text, by origin. */
export interface ExplainedVariables {
  /** Session variables that the statement uses. */
  readonly session: Readonly<Record<string, string | null>>;
  /** Variables of the document with a single value. */
  readonly query: Readonly<Record<string, string | null>>;
  /** All other values, including lists, in the order of the statement. */
  readonly synthetic: readonly (string | null)[];
  /** Current position of a stream, by the name of its column. */
  readonly cursor: Readonly<Record<string, string | null>>;
}

export interface EngineStatistics {
  readonly plans: { readonly size: number; readonly hits: number; readonly misses: number };
  readonly pool: { readonly total: number; readonly idle: number; readonly waiting: number };
  /** Of all sources. */
  readonly notices: NoticeFigures;
}

export interface Engine {
  /** Runs a query or mutation; the reply's rows are Postgres' own text. @throws EngineError, serialisable with `errorReply`. */
  execute(request: GraphQLRequest, session: Session, options?: ExecuteOptions): Promise<string>;
  /** Like `execute`, but in UTF-8 pieces that include Postgres' own bytes: for callers that only forward the reply. */
  executeToBytes(request: GraphQLRequest, session: Session, options?: ExecuteOptions): Promise<Bytes>;
  /** Runs a mutation and rolls it back, deferred constraints checked. @param look SQL that reads the rows to compare @throws EngineError */
  rehearse(request: GraphQLRequest, session: Session, look: string): Promise<Rehearsal>;
  /** Kind of the operation to execute. @throws EngineError as execute does for a document that is not GraphQL or has no such operation. */
  operationKind(request: GraphQLRequest, session: Session): "query" | "mutation" | "subscription";
  /** Validates and prepares a subscription. The cohort is usable until `release` or a change of the metadata. @throws EngineError */
  prepareSubscription(request: GraphQLRequest, session: Session): LiveQuery;
  /** Answers of a cohort's members, in order, from one statement; a member with failing values gets its own error. @throws EngineError */
  poll(
    cohortKey: string,
    members: readonly (readonly unknown[])[],
    options?: PollOptions,
  ): Promise<readonly PollAnswer[]>;
  /** Calls back when the answers of a cohort may change. Without notices, or if the cohort is not known any more, its statements must be polled. */
  observe(cohortKey: string, observer: ChangeObserver): Observation;
  /** Releases the cohort after its last member has left. */
  release(cohortKey: string): void;
  /** Statements and plans as `/v1/graphql/explain` has them. @throws EngineError invalid-params for a mutation */
  explain(request: GraphQLRequest, session: Session): Promise<readonly ExplainedField[] | ExplainedSubscription>;
  /** The role's schema as SDL, sorted so that two revisions are comparable. Unknown roles have an empty schema. */
  schemaText(role: string): string;
  /** All roles in the metadata, without `admin`. */
  readonly roles: readonly string[];
  /** Objects that are not served, with reasons; empty unless `allowInconsistent` or `allowUnsupported`. */
  readonly inconsistencies: readonly Inconsistency[];
  /** Valid metadata keys without effect here, with reasons. */
  readonly notes: readonly Omit<Problem, "kind">[];
  /** The merged metadata, including objects that are not served. */
  readonly metadata: unknown;
  /** Increases with every change of the metadata in this process. */
  readonly revision: number;
  /** Resolves when Postgres answers. @throws EngineError otherwise. */
  ping(): Promise<void>;
  /** Reads metadata (given, or from its source) and the catalogue, then swaps atomically. @throws MetadataError, and nothing changes. */
  reload(metadata?: unknown): Promise<void>;
  /** The first half of `reload`: checks metadata against the databases. @throws MetadataError; EngineError without an answer */
  prepare(metadata?: unknown, options?: PrepareOptions): Promise<PreparedMetadata>;
  statistics(): EngineStatistics;
  /** Finishes running work, then closes the pool. */
  close(): Promise<void>;
}

export interface PrepareOptions {
  /** Default: the value at the engine's creation. */
  readonly allowInconsistent?: boolean;
}

/** Checked metadata. Call exactly one of the two methods, once. */
export interface PreparedMetadata {
  readonly inconsistencies: readonly Inconsistency[];
  /** Serves the new metadata. Resolves when all work on the old metadata is finished. */
  commit(): Promise<void>;
  discard(): Promise<void>;
}

export interface EngineOptions {
  /** A metadata v3 directory, or one merged JSON/YAML file, or the merged object itself. */
  readonly metadata: string | Readonly<Record<string, unknown>>;
  /** Environment for `from_env`, including `<NAME>_FILE`; default `process.env`. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
  /** Hasura's `stringify-numeric-types`: bigint, numeric, float8 and money as JSON strings. Default false. */
  readonly stringifyNumericTypes?: boolean;
  /** Hasura's `v1-boolean-null-collapse`: operators of `where` with null are omitted, not rejected; not in permissions. Default false. */
  readonly collapseNullComparisons?: boolean;
  /** Hasura's `hide_aggregation_predicates`: no conditions on aggregates of related rows in the schema. Default false. */
  readonly hideAggregationPredicates?: boolean;
  /** Hasura's `hide_stream_fields`: no streaming subscriptions in the schema. Default false. */
  readonly hideStreams?: boolean;
  /** Whether roles can change data. Default true. */
  readonly mutations?: boolean;
  /** Hasura's `infer-function-permissions`. Default true. */
  readonly inferFunctionPermissions?: boolean;
  /** Hasura's `enable-allowlist`: roles other than admin may only send listed queries. Default false. */
  readonly enableAllowList?: boolean;
  /** Whether to serve the rest and list features of Hasura that are not supported here, instead of failing. Default false. */
  readonly allowUnsupported?: boolean;
  /** Whether to serve the rest and list objects that do not match the database, instead of failing. Default false. */
  readonly allowInconsistent?: boolean;
  /** Roles of permissions in omitted metadata: inherited roles may refer to them. */
  readonly rolesElsewhere?: Iterable<string>;
  /** Hasura's default naming for sources that do not set one. */
  readonly namingConvention?: "hasura-default" | "graphql-default";
  /** Deepest nesting of selection sets; default 20. 0 = unlimited. */
  readonly maxDepth?: number;
  /** Fields in the whole operation after fragments are spread; default 1000. 0 = unlimited. */
  readonly maxBreadth?: number;
  /** Limits for the cost of one operation; defaults: {@link defaultCostLimits}. */
  readonly costLimits?: Partial<CostLimits>;
  /** Time limit of a statement in Postgres, in milliseconds; default 30,000. 0 = none. */
  readonly statementTimeout?: number;
  /** Shorter time limits by role, in milliseconds. */
  readonly statementTimeouts?: ReadonlyMap<string, number>;
  /** Limit in bytes for one statement's result, and for all results of one operation; default: none. */
  readonly maxAnswerBytes?: number;
  /** Connections; default: pool_settings.max_connections of the source, else 4. */
  readonly poolSize?: number;
  /** Whether live queries run after notices of changes, or at intervals; default push. */
  readonly liveQueries?: "push" | "poll";
  /** Address of the primary, if the first source is a hot standby: notices come from there, and live queries run there. */
  readonly primaryDatabaseUrl?: string | undefined;
  /** Entries of the plan cache; default 1,000. */
  readonly planCacheSize?: number;
  /** Longest query text in UTF-16 units; default 262,144. */
  readonly maxQueryLength?: number;
  /** Receives events outside of requests: lost idle connections, reloaded metadata, begin and end of notices. */
  readonly onEvent?: (event: EngineEvent) => void;
}

export interface EngineEvent {
  readonly type: "connection-lost" | "reloaded" | "listening" | "not-listening";
  readonly message: string;
}
