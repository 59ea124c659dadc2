/**
 * The embedded engine's interface: Hasura v2's read API over a metadata v3 directory and a Postgres database, in this process.
 * HTTP, WebSocket and token checks stand on top of it. Create an engine with `createEngine` of engine.ts.
 * @module
 */
import type { Inconsistency, Problem } from "@routeql/metadata/read/problems";
import type { CostLimits } from "./cost/limits.ts";
import type { Cancellation } from "./cancellation.ts";
import type { EngineError } from "./errors.ts";
import type { Bytes } from "./postgres/bytes.ts";

/** Who asks. `admin` sees everything; every other role sees only what metadata grants it. */
export interface Session {
  readonly role: string;
  /** Lower-case `x-hasura-*` names. */
  readonly variables: ReadonlyMap<string, string>;
  /** True only for role `admin` reached by the master key (or a token with that role). */
  readonly isAdmin: boolean;
  /** The account or address that the session belongs to. All sessions of one client have one share of the connections; default: the role. */
  readonly client?: string;
}

export interface GraphQLRequest {
  readonly query: string;
  readonly variables?: Record<string, unknown> | null;
  readonly operationName?: string | null;
}

export interface ExecuteOptions {
  /** An AbortSignal or the like: aborting cancels the running statement in Postgres and rejects with the signal's reason. */
  readonly signal?: Cancellation;
}

export interface PollOptions extends ExecuteOptions {
  /** {@link Session.client} of all members; absent when they belong to several. */
  readonly client?: string | undefined;
}

/**
 * One prepared live query or streaming subscription. Two with the same `cohortKey` have the same role and statement,
 * and differ only in `parameters`; equal parameters give equal answers, so such members can be collapsed.
 */
export interface LiveQuery {
  readonly kind: "live" | "stream";
  /** Response keys of the root fields; exactly one unless the document carries `@_multiple_top_level_fields`. */
  readonly fieldNames: readonly string[];
  readonly cohortKey: string;
  /** What `poll` takes for this member; JSON-like values, comparable by `JSON.stringify`. */
  readonly parameters: readonly unknown[];
  /** {@link Session.client} of the session that asked. */
  readonly client: string;
}

/** One member's answer of one poll. */
export interface PollAnswer {
  /** Reply text: `{"data":…}`, or `{"errors":[…]}` when `failed`. */
  readonly text: string;
  readonly failed: boolean;
  /** Why it failed, when that is the member's own fault and not the database's: asked again it would fail again. */
  readonly fault?: EngineError;
  /** Streams only: the answer holds no new row, and nothing needs to be sent. */
  readonly empty: boolean;
  /** Streams only: what to poll with next (the cursor advanced); absent when it did not move. */
  readonly nextParameters?: readonly unknown[];
}

export interface ExplainedField {
  readonly field: string;
  /** null for a field that Postgres is not asked for. */
  readonly sql: string | null;
  readonly plan: readonly string[] | null;
}

export interface ExplainedSubscription {
  readonly sql: string;
  readonly plan: readonly string[];
  readonly variables: ExplainedVariables;
}

/** Values of a subscription's parameters as text, by where they come from. */
export interface ExplainedVariables {
  /** Session variables that the statement asks for, and no others. */
  readonly session: Readonly<Record<string, string | null>>;
  /** Variables of the document that stand for one value. */
  readonly query: Readonly<Record<string, string | null>>;
  /** Everything else, lists among it, in the order of the statement. */
  readonly synthetic: readonly (string | null)[];
  /** Where a stream goes on from, by the name of its column. */
  readonly cursor: Readonly<Record<string, string | null>>;
}

export interface EngineStatistics {
  readonly plans: { readonly size: number; readonly hits: number; readonly misses: number };
  readonly pool: { readonly total: number; readonly idle: number; readonly waiting: number };
  readonly cohorts: number;
}

export interface Engine {
  /**
   * Answers a query. Resolves with the whole reply's text, `{"data":{…}}`; the rows' JSON is Postgres' own text, never parsed.
   * @throws EngineError for everything that is the request's or the database's fault; serialise it with `errorReply`.
   */
  execute(request: GraphQLRequest, session: Session, options?: ExecuteOptions): Promise<string>;
  /** As `execute`, in UTF-8 and in pieces, Postgres' own bytes among them: for whoever only sends the reply on. */
  executeToBytes(request: GraphQLRequest, session: Session, options?: ExecuteOptions): Promise<Bytes>;
  /**
   * Kind of the operation that would run. Mutations are not served: `execute` refuses them.
   * @throws EngineError as execute does for a document that is not GraphQL or has no such operation.
   */
  operationKind(request: GraphQLRequest, session: Session): "query" | "mutation" | "subscription";
  /**
   * Checks and prepares a subscription; the returned cohort stays usable until `release`d or the metadata change.
   * @throws EngineError as execute does.
   */
  prepareSubscription(request: GraphQLRequest, session: Session): LiveQuery;
  /**
   * Answers of all members of one cohort, in member order, from one statement. A member whose values make the statement fail
   * gets a failed answer of its own.
   * @throws EngineError when the cohort is unknown (metadata changed) or the database does not answer.
   */
  poll(cohortKey: string, members: readonly (readonly unknown[])[], options?: PollOptions): Promise<readonly PollAnswer[]>;
  /** Tells the engine that no member of the cohort is left. */
  release(cohortKey: string): void;
  /**
   * Statements and plans, as `/v1/graphql/explain` gives them: a list by root field for a query, one object for a subscription.
   * @throws EngineError invalid-params for a mutation
   */
  explain(request: GraphQLRequest, session: Session): Promise<readonly ExplainedField[] | ExplainedSubscription>;
  /** The role's schema as SDL, sorted so that two revisions compare. Unknown roles have an empty schema. */
  schemaText(role: string): string;
  /** Roles named anywhere in metadata, without `admin`. */
  readonly roles: readonly string[];
  /** Objects that are not served, and why; empty unless `allowInconsistent` or `allowUnsupported`. */
  readonly inconsistencies: readonly Inconsistency[];
  /** Keys of the metadata that are right, but change nothing here, and why. */
  readonly notes: readonly Omit<Problem, "kind">[];
  /** The merged metadata, with what is not served. */
  readonly metadata: unknown;
  /** Counts up with every change of the metadata in this process. */
  readonly revision: number;
  /** Resolves when Postgres answers. @throws EngineError otherwise. */
  ping(): Promise<void>;
  /**
   * Reads metadata (the given merged JSON, or the source it was created from) and the catalogue again, then swaps atomically.
   * @throws MetadataError and stays as it was when anything is wrong.
   */
  reload(metadata?: unknown): Promise<void>;
  /**
   * The first half of `reload`: checks metadata against the databases while the former ones are served.
   * @throws MetadataError, EngineError when a database does not answer
   */
  prepare(metadata?: unknown, options?: PrepareOptions): Promise<PreparedMetadata>;
  statistics(): EngineStatistics;
  /** Finishes what runs, then closes the pool. */
  close(): Promise<void>;
}

export interface PrepareOptions {
  /** Default: what the engine was created with. */
  readonly allowInconsistent?: boolean;
}

/** Metadata that were found fit; exactly one of the two is to be called, once. */
export interface PreparedMetadata {
  readonly inconsistencies: readonly Inconsistency[];
  /** Serves them from now on. Resolves when what ran with the former ones is over. */
  commit(): Promise<void>;
  discard(): Promise<void>;
}

export interface EngineOptions {
  /** A metadata v3 directory, or one merged JSON/YAML file, or the merged object itself. */
  readonly metadata: string | Readonly<Record<string, unknown>>;
  /** Where `from_env` is looked up, `<NAME>_FILE` included; default `process.env`. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
  /** Hasura's `stringify-numeric-types`: bigint, numeric, float8 and money as JSON strings. Default false. */
  readonly stringifyNumericTypes?: boolean;
  /**
   * Hasura's `v1-boolean-null-collapse`: an operator of a `where` that is given null is left out, so that it meets every row,
   * instead of being refused. Filters of permissions are not concerned. Default false.
   */
  readonly collapseNullComparisons?: boolean;
  /** Hasura's `hide_aggregation_predicates`: no conditions on aggregates of related rows in the schema. Default false. */
  readonly hideAggregationPredicates?: boolean;
  /** Hasura's `hide_stream_fields`: no streaming subscriptions in the schema. Default false. */
  readonly hideStreams?: boolean;
  /** Hasura's `infer-function-permissions`. Default true. */
  readonly inferFunctionPermissions?: boolean;
  /** Hasura's `enable-allowlist`: other roles than admin may only send listed queries. Default false. */
  readonly enableAllowList?: boolean;
  /** Serve the rest and list what is known to Hasura but not served here, instead of refusing. Default false. */
  readonly allowUnsupported?: boolean;
  /** Serve the rest and list objects that do not fit the database, instead of refusing. Default false. */
  readonly allowInconsistent?: boolean;
  /** Roles that permissions name in a part of the metadata which was left out: inherited roles may be made of them. */
  readonly rolesElsewhere?: Iterable<string>;
  /** Hasura's default naming for sources that do not set one. */
  readonly namingConvention?: "hasura-default" | "graphql-default";
  /** Deepest nesting of selection sets; default 20. 0 = unlimited. */
  readonly maxDepth?: number;
  /** Fields in the whole operation after fragments are spread; default 1000. 0 = unlimited. */
  readonly maxBreadth?: number;
  /** What one operation may cost; defaults: {@link defaultCostLimits}. */
  readonly costLimits?: Partial<CostLimits>;
  /** Milliseconds after which Postgres ends a statement; default 30,000. 0 = never. */
  readonly statementTimeout?: number;
  /** Roles whose statements have less time than that; milliseconds by role. */
  readonly statementTimeouts?: ReadonlyMap<string, number>;
  /** Bytes of one statement's answer, and of all answers of one operation; default: no limit. */
  readonly maxAnswerBytes?: number;
  /** Connections; default: pool_settings.max_connections of the source, else 4. */
  readonly poolSize?: number;
  /** Entries of the plan cache; default 1,000. */
  readonly planCacheSize?: number;
  /** Longest query text in UTF-16 units; default 262,144. */
  readonly maxQueryLength?: number;
  /** Told about what happens outside of a request: idle connections lost, metadata reloaded. */
  readonly onEvent?: (event: EngineEvent) => void;
}

export interface EngineEvent {
  readonly type: "connection-lost" | "reloaded";
  readonly message: string;
}
