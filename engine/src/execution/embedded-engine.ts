import { inSpan, type Span } from "@routeql/tracing/span";
import type {
  Engine,
  EngineOptions,
  EngineStatistics,
  ExecuteOptions,
  ExplainedField,
  ExplainedSubscription,
  GraphQLRequest,
  LiveQuery,
  PollAnswer,
  PollOptions,
  PreparedMetadata,
  PrepareOptions,
  Rehearsal,
  Session,
} from "../interface.ts";
import { defaultCostLimits, defaultSizeLimits, type CostLimits } from "../cost/limits.ts";
import { EngineError, invalid } from "../errors.ts";
import type { Inconsistency } from "@routeql/metadata/read/problems";
import { bytesOf, textOf, type Bytes } from "../postgres/bytes.ts";
import type { Row } from "../postgres/connection.ts";
import { printSorted } from "./schema-text.ts";
import type { Cancellation } from "../cancellation.ts";
import { auditVariables } from "../audit-variables.ts";
import { openDatabase, placesOf } from "./database/open-database.ts";
import type { Ask, Asker, Database, TextRow } from "./database/database.ts";
import { checkDocumentSize, type Operation, readOperation } from "./document/document.ts";
import { explainQuery, explainSubscription, type AskForPlan } from "./explain.ts";
import { Cohorts, followsTime } from "./live/live.ts";
import { LiveSources } from "./live/live-sources.ts";
import type { ChangeObserver, Observation } from "../notices/observation.ts";
import { planMutation } from "./mutations/plan.ts";
import { requireSession } from "./mutations/require-session.ts";
import { MutationRun } from "./mutations/run.ts";
import type { RoleSchema } from "../schema/role-schema.ts";
import { sql, trusted } from "../sql/sql.ts";
import {
  frameOf,
  type PreparedPlan,
  preparePlan,
  resolveParameters,
  resolveStatements,
  splice,
} from "./plan/prepared-plan.ts";
import { PlanCache, type CachedOperation } from "./plan/plan-cache.ts";
import { QueryPlanner, type SubscriptionPlan } from "./plan/plan.ts";
import { buildState, checkMetadata, type CheckedMetadata, type State } from "./state.ts";
import { Variables, type VariableValues } from "./document/variables.ts";

const defaults = { ...defaultSizeLimits, planCacheSize: 1000, maxQueryLength: 262_144 };

/** The session variables as Hasura gives them to triggers, `current_setting('hasura.user')`, with those of audit events. */
const userOf = (session: Session, options: ExecuteOptions): string =>
  JSON.stringify({
    ...Object.fromEntries(session.variables),
    "x-hasura-role": session.role,
    ...auditVariables(session, options),
  });

export class EmbeddedEngine implements Engine {
  readonly #options: EngineOptions;
  #source: EngineOptions["metadata"];
  #state: State;
  #databases: ReadonlyMap<string, Database>;
  #live: LiveSources;
  readonly #plans: PlanCache;
  readonly #costLimits: CostLimits;
  readonly #cohorts = new Cohorts((source) => this.#live.database(source) ?? this.#database(source));
  #revision = 1;

  private constructor(options: EngineOptions, state: State, databases: ReadonlyMap<string, Database>) {
    this.#options = options;
    this.#source = options.metadata;
    this.#state = state;
    this.#databases = databases;
    this.#live = new LiveSources(state.metadata, state.loaded, options);
    this.#costLimits = { ...defaultCostLimits, ...options.costLimits };
    this.#plans = new PlanCache(options.planCacheSize ?? defaults.planCacheSize);
  }

  static async create(options: EngineOptions): Promise<EmbeddedEngine> {
    const checked = checkMetadata(options.metadata, options.allowUnsupported ?? false);
    const databases = EmbeddedEngine.#connect(checked, options);
    try {
      const state = await EmbeddedEngine.#build(checked, options, databases);
      return new EmbeddedEngine(options, state, databases);
    } catch (error) {
      await closeAll(databases);
      throw error;
    }
  }

  static #connect({ metadata, loaded }: CheckedMetadata, options: EngineOptions): ReadonlyMap<string, Database> {
    return new Map(
      metadata.sources.map((source, index) => [
        source.name,
        openDatabase(source, placesOf(source, index, options, loaded).own, options),
      ]),
    );
  }

  static async #build(
    checked: CheckedMetadata,
    options: EngineOptions,
    databases: ReadonlyMap<string, Database>,
  ): Promise<State> {
    return buildState(checked, options, (source) => async (text, values) => {
      const [row] = (await databases.get(source)?.run({ text: trusted(text), values })) ?? [];
      return row?.[0] ?? null;
    });
  }

  #database(source: string): Database {
    const database = this.#databases.get(source);
    if (database === undefined) throw new EngineError({ code: "unexpected", message: `there is no source ${source}` });
    return database;
  }

  get roles(): readonly string[] {
    return this.#state.roles;
  }

  get inconsistencies(): readonly Inconsistency[] {
    return this.#state.inconsistencies;
  }

  get notes(): Engine["notes"] {
    return this.#state.notes;
  }

  get metadata(): unknown {
    return this.#state.loaded.merged;
  }

  get revision(): number {
    return this.#revision;
  }

  #operation(request: GraphQLRequest, session: Session): CachedOperation {
    const { query, operationName } = request;
    const longest = this.#options.maxQueryLength ?? defaults.maxQueryLength;
    if (query.length > longest) throw invalid(`the query is longer than the limit of ${longest} characters`, "$.query");
    const { role } = session;
    const backend = session.isBackend === true ? "backend " : "";
    // The length marks the end of the role, which may contain any character.
    const key = `${backend}${role.length} ${role}${operationName ?? ""}\n${query}`;
    return this.#plans.operation(key, () => {
      const limits = this.#costLimits;
      checkDocumentSize(query, limits.maxTokens);
      const isBound = this.#options.enableAllowList === true && !session.isAdmin;
      if (isBound && !this.#state.allowList.allows(query, session.role)) throw invalid("query is not allowed");
      return readOperation(query, operationName, limits);
    });
  }

  #schema({ role, isBackend }: Session): RoleSchema {
    return this.#state.schema(role, isBackend);
  }

  #planOptions(role: string) {
    const { maxDepth, maxBreadth, stringifyNumericTypes, collapseNullComparisons } = this.#options;
    return {
      ...this.#costLimits,
      maxDepth: maxDepth ?? defaults.maxDepth,
      maxBreadth: maxBreadth ?? defaults.maxBreadth,
      stringifyNumericTypes: stringifyNumericTypes ?? false,
      collapseNullComparisons: collapseNullComparisons ?? false,
      introspection: this.#state.introspectionAllowed(role),
      role,
    };
  }

  #planner(session: Session, operation: Operation, variables: Variables): QueryPlanner {
    return new QueryPlanner(this.#schema(session), operation, variables, this.#planOptions(session.role));
  }

  /** @param span parent of a span for the planning; a cached plan has none */
  #plan(cached: CachedOperation, session: Session, values: VariableValues, span?: Span): PreparedPlan {
    const { operation, structural } = cached;
    const variables = new Variables(operation, values, structural);
    variables.check();
    return this.#plans.plan(cached, values, () =>
      inSpan(span, "plan", "internal", {}, () => preparePlan(this.#planner(session, operation, variables).query())),
    );
  }

  /** A session without a client shares one with its role. */
  #asker({ role, client = role }: Pick<Session, "role" | "client">, signal?: Cancellation, span?: Span): Asker {
    return { client, signal, timeout: this.#options.statementTimeouts?.get(role), span };
  }

  /** Answers in the order of the plan's statements; those of one source use one snapshot. */
  async #run(
    plan: PreparedPlan,
    session: Session,
    values: VariableValues,
    { signal, span }: ExecuteOptions,
  ): Promise<readonly Bytes[]> {
    const resolved = resolveStatements(
      plan.statements.map(({ statement }) => statement.parameters),
      session,
      values,
    );
    const runs = plan.statements.map(({ statement, text }, position) => ({
      text,
      values: resolved[position] ?? [],
      mayShare: !statement.callsFunctions,
    }));
    const [source, ...others] = plan.sources;
    const asker = this.#asker(session, signal, span);
    if (source !== undefined && others.length === 0)
      return (await this.#database(source).runAll(runs, asker)).map(answerOf);
    const answers: Bytes[] = [];
    for (const each of plan.sources) {
      const positions = runs
        .keys()
        .filter((position) => plan.statements[position]?.statement.source === each)
        .toArray();
      const results = await this.#database(each).runAll(
        positions.flatMap((position) => runs[position] ?? []),
        asker,
      );
      for (const [index, position] of positions.entries()) answers[position] = answerOf(results[index]);
    }
    return answers;
  }

  async execute(request: GraphQLRequest, session: Session, options?: ExecuteOptions): Promise<string> {
    return textOf(await this.executeToBytes(request, session, options));
  }

  async executeToBytes(request: GraphQLRequest, session: Session, options: ExecuteOptions = {}): Promise<Bytes> {
    const cached = this.#operation(request, session);
    if (cached.operation.kind === "mutation") return this.#mutate(cached, session, request.variables ?? {}, options);
    const plan = this.#queryPlan(cached, session, request.variables ?? {}, options.span);
    return splice(
      plan,
      plan.statements.length === 0 ? [] : await this.#run(plan, session, request.variables ?? {}, options),
    );
  }

  async rehearse(request: GraphQLRequest, session: Session, look: string): Promise<Rehearsal> {
    const cached = this.#operation(request, session);
    if (cached.operation.kind !== "mutation") throw invalid("a mutation is expected");
    const seen: TextRow[][] = [];
    const reply = await this.#mutate(cached, session, request.variables ?? {}, {}, async (ask) => {
      const rows = await ask({ text: trusted(look), values: [] });
      seen.push(rows.map((row) => row.map((value) => (value === null ? null : textOf(value)))));
    });
    const [before = [], after = []] = seen;
    return { reply: textOf(reply), before, after };
  }

  /** Runs a mutation in one transaction, or one per root field of several sources. @param look runs before and after a rehearsal */
  async #mutate(
    { operation }: CachedOperation,
    session: Session,
    values: VariableValues,
    options: ExecuteOptions,
    look?: (ask: Ask) => Promise<void>,
  ): Promise<Bytes> {
    const { signal, span } = options;
    const variables = new Variables(operation, values, new Set(), { eager: true });
    variables.check();
    const { roots, writes, spending } = inSpan(span, "plan", "internal", {}, () =>
      planMutation(this.#schema(session), operation, variables, this.#planOptions(session.role)),
    );
    span?.set({ "graphql.operation.name": operation.definition.name?.value, "routeql.root_fields": roots.length });
    requireSession(
      writes.map(({ write }) => write),
      session,
      spending,
    );
    const isOne = new Set(writes.map(({ source }) => source)).size === 1;
    const answers: Bytes[] = [];
    for (const group of isOne ? [writes] : writes.map((write) => [write])) {
      const [first] = group;
      if (first === undefined) continue;
      const changed = await this.#database(first.source).change(
        async (ask) => {
          await ask({ text: sql`SELECT set_config('hasura.user', $1, true)`, values: [userOf(session, options)] });
          const run = new MutationRun((text, own, path) => ask({ text, values: own }, path), session, values, spending);
          const replies: Bytes[] = [];
          await look?.(ask);
          for (const { write } of group) replies.push(await run.run(write));
          if (look !== undefined) await ask({ text: sql`SET CONSTRAINTS ALL IMMEDIATE`, values: [] });
          await look?.(ask);
          return replies;
        },
        this.#asker(session, signal, span),
        look === undefined ? "COMMIT" : "ROLLBACK",
      );
      answers.push(...changed);
    }
    return splice({ frame: frameOf(roots) }, answers);
  }

  /** @throws EngineError for an operation that is no query */
  #queryPlan(cached: CachedOperation, session: Session, values: VariableValues, span?: Span): PreparedPlan {
    if (cached.operation.kind === "subscription") {
      // Reports validation errors first.
      this.#subscriptionPlan(cached, session, values);
      throw new EngineError({
        code: "unexpected-payload",
        message: "subscriptions are not supported over HTTP, use websockets instead",
      });
    }
    const plan = this.#plan(cached, session, values, span);
    span?.set({
      "graphql.operation.name": cached.operation.definition.name?.value,
      "routeql.root_fields": plan.roots.length,
    });
    return plan;
  }

  operationKind(request: GraphQLRequest, session: Session): "query" | "mutation" | "subscription" {
    return this.#operation(request, session).operation.kind;
  }

  #subscriptionPlan(cached: CachedOperation, session: Session, values: VariableValues): SubscriptionPlan {
    const { operation } = cached;
    const variables = new Variables(operation, values, new Set());
    variables.check();
    const plan = this.#planner(session, operation, variables).subscription();
    this.#plans.remember(cached);
    return plan;
  }

  prepareSubscription(request: GraphQLRequest, session: Session): LiveQuery {
    const cached = this.#operation(request, session);
    if (cached.operation.kind !== "subscription") throw invalid("a subscription is expected");
    const values = request.variables ?? {};
    const plan = this.#subscriptionPlan(cached, session, values);
    return this.#cohorts.add(session, plan, resolveParameters(plan.statement.parameters, session, values));
  }

  async poll(
    cohortKey: string,
    members: readonly (readonly unknown[])[],
    { client, signal }: PollOptions = {},
  ): Promise<readonly PollAnswer[]> {
    return this.#cohorts.poll(cohortKey, members, (role) => this.#asker({ role, client }, signal));
  }

  observe(cohortKey: string, observer: ChangeObserver): Observation {
    return this.#live.observe(this.#cohorts.find(cohortKey), observer);
  }

  release(cohortKey: string): void {
    this.#cohorts.release(cohortKey);
  }

  async explain(request: GraphQLRequest, session: Session): Promise<readonly ExplainedField[] | ExplainedSubscription> {
    const cached = this.#operation(request, session);
    const values = request.variables ?? {};
    const ask: AskForPlan = async ({ source, parameters }, text) => {
      const given = resolveParameters(parameters, session, values);
      const rows = await this.#database(source).run(
        { text: sql`EXPLAIN (FORMAT TEXT) ${text}`, values: given },
        this.#asker(session),
      );
      return { plan: rows.map(([line]) => line ?? ""), values: given };
    };
    if (cached.operation.kind === "mutation")
      throw new EngineError({ code: "invalid-params", message: "only queries can be explained" });
    if (cached.operation.kind === "subscription") {
      const plan = this.#subscriptionPlan(cached, session, values);
      return explainSubscription(
        plan,
        ask,
        await this.#live.explain({
          plan,
          isRelative: followsTime(plan, resolveParameters(plan.statement.parameters, session, values)),
        }),
      );
    }
    return explainQuery(this.#plan(cached, session, values).roots, ask);
  }

  schemaText(role: string): string {
    return printSorted(this.#state.schema(role).schema);
  }

  async ping(): Promise<void> {
    await Promise.all(
      [...this.#databases.values()].map((database) => database.run({ text: sql`SELECT 1`, values: [] })),
    );
  }

  async reload(metadata?: unknown): Promise<void> {
    const prepared = await this.prepare(metadata);
    await prepared.commit();
  }

  async prepare(
    metadata?: unknown,
    { allowInconsistent = this.#options.allowInconsistent }: PrepareOptions = {},
  ): Promise<PreparedMetadata> {
    const source = metadata === undefined ? this.#source : (metadata as EngineOptions["metadata"]);
    const checked = checkMetadata(source, this.#options.allowUnsupported ?? false);
    const databases = EmbeddedEngine.#connect(checked, this.#options);
    try {
      const state = await EmbeddedEngine.#build(checked, { ...this.#options, allowInconsistent }, databases);
      return {
        inconsistencies: state.inconsistencies,
        commit: () => this.#swap(source, state, databases),
        discard: () => closeAll(databases),
      };
    } catch (error) {
      await closeAll(databases);
      throw error;
    }
  }

  async #swap(
    source: EngineOptions["metadata"],
    state: State,
    databases: ReadonlyMap<string, Database>,
  ): Promise<void> {
    const old = this.#databases;
    const oldLive = this.#live;
    this.#live = new LiveSources(state.metadata, state.loaded, this.#options);
    this.#source = source;
    this.#state = state;
    this.#databases = databases;
    this.#plans.clear();
    this.#cohorts.clear();
    this.#revision += 1;
    this.#options.onEvent?.({ type: "reloaded", message: `metadata revision ${this.#revision}` });
    // Requests with a connection of the old pool finish first.
    await Promise.all([closeAll(old), oldLive.close()]);
  }

  statistics(): EngineStatistics {
    const pool = { total: 0, idle: 0, waiting: 0 };
    for (const database of [...this.#databases.values(), ...this.#live.databases]) {
      const { total, idle, waiting } = database.statistics;
      pool.total += total;
      pool.idle += idle;
      pool.waiting += waiting;
    }
    return { plans: this.#plans.statistics, pool, notices: this.#live.figures };
  }

  async close(): Promise<void> {
    this.#cohorts.clear();
    await Promise.all([closeAll(this.#databases), this.#live.close()]);
  }
}

async function closeAll(databases: ReadonlyMap<string, Database>): Promise<void> {
  await Promise.all([...databases.values()].map((database) => database.close()));
}

const nothing = bytesOf("null");

/** The single value of a statement's single row. */
function answerOf(rows: readonly Row[] | undefined): Bytes {
  return rows?.[0]?.[0] ?? nothing;
}
