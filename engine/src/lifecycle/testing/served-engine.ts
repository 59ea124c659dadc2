import { Writable } from "node:stream";
import type { Environment } from "@routeql/contract/environment";
import type { Authenticator } from "../../auth/authenticator.ts";
import type { Engine, ExecuteOptions, GraphQLRequest, LiveQuery, PollAnswer, Session } from "../../engine.ts";
import { EngineError } from "../../errors.ts";
import { createAdministration } from "../../metadata-api/routes.ts";
import { MetadataKeeper } from "../../metadata-store/metadata-keeper.ts";
import { createEmbeddedExecutor } from "../../executors/embedded.ts";
import { switchedOff } from "../../notices/observation.ts";
import { bytesOf } from "../../postgres/bytes.ts";
import { createLogger } from "../run.ts";
import { authenticatorOf, serve, type Served } from "../serve.ts";
import { readSettings } from "../../settings/settings.ts";
import { audience, hmacSecret, issuer } from "./tokens.ts";

export const adminSecret = "test-admin-secret-0123456789abcdef";

export interface ServedFake extends AsyncDisposable {
  readonly served: Served;
  readonly engine: FakeEngine;
  readonly url: string;
  readonly webSocketUrl: string;
  log(): string;
}

export const testSettings: Environment = {
  HASURA_GRAPHQL_SERVER_HOST: "127.0.0.1",
  HASURA_GRAPHQL_SERVER_PORT: "0",
  ENGINE_METRICS_PORT: "0",
  HASURA_GRAPHQL_ADMIN_SECRET: adminSecret,
  HASURA_GRAPHQL_JWT_SECRET: JSON.stringify({ type: "HS256", key: hmacSecret, issuer, audience }),
  HASURA_GRAPHQL_LIVE_QUERIES_MULTIPLEXED_REFETCH_INTERVAL: "20",
  HASURA_GRAPHQL_LOG_LEVEL: "debug",
};

/** A complete server on a free port with a fake engine; real clocks unless `now` is given. */
export async function serveFake(
  behaviour: FakeBehaviour = {},
  environment: Environment = {},
  { now, authenticator, quiet = 0 }: { now?: () => number; authenticator?: Authenticator; quiet?: number } = {},
): Promise<ServedFake> {
  const lines: string[] = [];
  const stream = new Writable({
    write(chunk: Buffer, _encoding, done) {
      lines.push(chunk.toString());
      done();
    },
  });
  const settings = readSettings({ ...testSettings, ...environment });
  const logger = createLogger(settings.logLevel, stream);
  const engine = createFakeEngine(behaviour);
  const known = authenticator ?? (await authenticatorOf(settings, logger, now));
  const served = await serve({
    settings,
    createExecutor: (events) => createEmbeddedExecutor(engine, settings, events),
    administration: createAdministration(engine, metadataOf(engine)),
    authenticator: known,
    logger,
    now,
    quiet,
  });
  const address = `127.0.0.1:${String(served.port)}`;
  return {
    served,
    engine,
    url: `http://${address}`,
    webSocketUrl: `ws://${address}/v1/graphql`,
    log: () => lines.join(""),
    [Symbol.asyncDispose]: () => served.stop(),
  };
}

export function metadataOf(engine: Engine): MetadataKeeper {
  return new MetadataKeeper({ engine, pollInterval: 0, onEvent: () => undefined });
}

/** Behaviour that a test sets; everything else has a fixed answer. */
export interface FakeBehaviour {
  execute?(request: GraphQLRequest, session: Session, options: ExecuteOptions): Promise<string>;
  /** Text for one member of a poll. */
  answer?(parameters: readonly unknown[], cohortKey: string): string | PollAnswer;
  ping?(): Promise<void>;
  inconsistencies?: Engine["inconsistencies"];
}

export interface FakeEngine extends Engine {
  readonly calls: {
    readonly executed: GraphQLRequest[];
    readonly polled: (readonly unknown[])[][];
    readonly released: string[];
  };
  isClosed: boolean;
}

/** An engine without a database, for tests of code on the engine's interface. */
export function createFakeEngine(behaviour: FakeBehaviour = {}): FakeEngine {
  const calls: FakeEngine["calls"] = { executed: [], polled: [], released: [] };
  return {
    calls,
    isClosed: false,
    execute(request, session, options = {}) {
      calls.executed.push(request);
      if (behaviour.execute !== undefined) return behaviour.execute(request, session, options);
      return Promise.resolve(JSON.stringify({ data: { role: session.role, variables: request.variables ?? null } }));
    },
    async executeToBytes(request, session, options) {
      return bytesOf(await this.execute(request, session, options));
    },
    rehearse() {
      return Promise.resolve({ reply: "{}", before: [], after: [] });
    },
    operationKind({ query }) {
      if (query.includes("syntax error")) throw notGraphQL();
      return query.trimStart().startsWith("subscription")
        ? "subscription"
        : query.trimStart().startsWith("mutation")
          ? "mutation"
          : "query";
    },
    prepareSubscription({ query, variables }, { role, client = role }): LiveQuery {
      if (query.includes("unknown_field")) {
        const message = "field 'unknown_field' not found in type: 'subscription_root'";
        throw new EngineError({ code: "validation-failed", path: "$.selectionSet.unknown_field", message });
      }
      const kind = query.includes("_stream") ? "stream" : "live";
      return { kind, cohortKey: `${role} ${query}`, parameters: [variables ?? null], client };
    },
    poll(cohortKey, members) {
      calls.polled.push([...members]);
      const answers = members.map(
        (parameters) => behaviour.answer?.(parameters, cohortKey) ?? '{"data":{"updates":[]}}',
      );
      return Promise.resolve(
        answers.map((answer) => (typeof answer === "string" ? { text: answer, failed: false, empty: false } : answer)),
      );
    },
    release: (cohortKey) => void calls.released.push(cohortKey),
    explain: ({ query }) => Promise.resolve([{ field: "updates", sql: `SELECT 1 -- ${query}`, plan: ["Result"] }]),
    schemaText: () => "",
    roles: ["viewer"],
    inconsistencies: behaviour.inconsistencies ?? [],
    notes: [],
    metadata: {},
    revision: 1,
    ping: () => behaviour.ping?.() ?? Promise.resolve(),
    reload: () => Promise.resolve(),
    prepare: () =>
      Promise.resolve({ inconsistencies: [], commit: () => Promise.resolve(), discard: () => Promise.resolve() }),
    observe: () => switchedOff,
    statistics: () => ({
      plans: { size: 1, hits: 2, misses: 3 },
      pool: { total: 4, idle: 3, waiting: 0 },
      notices: { listening: false, received: 0, noticed: 0, polled: {}, unnoticed: [] },
    }),
    close() {
      this.isClosed = true;
      return Promise.resolve();
    },
  };
}

function notGraphQL(): EngineError {
  return new EngineError({ code: "validation-failed", path: "$.query", message: "not a valid graphql query" });
}
