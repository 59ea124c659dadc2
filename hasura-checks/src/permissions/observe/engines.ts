import { type Engine, type Session, toEngineError } from "@routeql/engine";
import type { DeclaredAccess } from "../../declared/declared.ts";
import { buildSchema, type GraphQLSchema } from "graphql";
import { UsageError } from "../../cli/usage-error.ts";
import type { ReadOnlyDatabase } from "../../metadata/database.ts";
import {
  type Failure,
  failureWith,
  type Mutation,
  orUnanswered,
  parseExactly,
  type Rehearsed,
  type Reply,
  type ReplyBody,
  replyFrom,
  replyOf,
  responseIn,
  type Served,
  Unanswered,
  type Variables,
} from "./served.ts";

const sessionOf = (role: string, variables: Variables): Session => ({
  role,
  isAdmin: false,
  variables: new Map(Object.entries(variables)),
});

export class EmbeddedServed implements Served {
  readonly kind = "embedded";
  readonly #engine: Engine;
  /** The schema of the last role: building one takes up to a second, and many checks of one role need it. */
  #last: { readonly role: string; readonly schema: GraphQLSchema } | undefined;

  constructor(engine: Engine) {
    this.#engine = engine;
  }

  schema(role: string) {
    if (this.#last?.role !== role)
      this.#last = { role, schema: buildSchema(this.#engine.schemaText(role), { assumeValidSDL: true }) };
    return this.#last.schema;
  }

  takes(): boolean {
    return true;
  }

  async ask(role: string, variables: Variables, document: string): Promise<Reply> {
    try {
      const session = sessionOf(role, variables);
      if (!document.startsWith("subscription"))
        return replyOf(await this.#engine.execute({ query: document }, session));
      const live = this.#engine.prepareSubscription({ query: document }, session);
      const [answer] = await this.#engine.poll(live.cohortKey, [live.parameters]);
      this.#engine.release(live.cohortKey);
      return replyOf(answer?.text ?? "{}");
    } catch (error) {
      return { failure: failureOf(error) };
    }
  }

  async rehearse(role: string, variables: Variables, mutation: Mutation, look: string): Promise<Rehearsed> {
    try {
      const session = { ...sessionOf(role, variables), isBackend: mutation.isBackend };
      const { reply, before, after } = await this.#engine.rehearse(mutation, session, look);
      return { reply: replyOf(reply), before, after };
    } catch (error) {
      return { reply: { failure: failureOf(error) }, before: [], after: [] };
    }
  }

  /** One statement answers all sessions. */
  async askTogether(
    role: string,
    sessions: readonly Variables[],
    document: string,
  ): Promise<readonly (Reply | Unanswered)[]> {
    const prepared = sessions.map((variables) => {
      try {
        return this.#engine.prepareSubscription({ query: document }, sessionOf(role, variables));
      } catch (error) {
        return failureOf(error);
      }
    });
    const members = prepared.flatMap((live) => ("cohortKey" in live ? [live] : []));
    const key = members[0]?.cohortKey;
    const answers =
      key === undefined
        ? []
        : await this.#engine.poll(
            key,
            members.map(({ parameters }) => parameters),
          );
    if (key !== undefined) this.#engine.release(key);
    let next = 0;
    return Promise.all(
      prepared.map((live) =>
        orUnanswered(
          // A failing value of one session leaves the answers of the others.
          (async () => ("cohortKey" in live ? replyOf(answers[next++]?.text ?? "{}") : { failure: live }))(),
        ),
      ),
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#engine.close();
  }
}

function failureOf(error: unknown): Failure {
  if (error instanceof Unanswered) throw error;
  const known = toEngineError(error);
  const { message, extensions } = known.toJSON();
  const { error: inner } = (known.internal ?? {}) as { error?: string | { message?: string } };
  return failureWith({ message, ...extensions }, typeof inner === "string" ? inner : inner?.message);
}

export interface RunningEngine {
  /** The address of the GraphQL API. */
  readonly url: URL;
  /** The header that carries the admin secret. */
  readonly header: string;
  readonly secret: string;
  /** Time limit for one answer, in milliseconds. */
  readonly timeout: number;
  /** Name of a database with rows that may be changed and deleted. */
  readonly disposable: string | undefined;
}

/** An HTTP header can carry printable ASCII without spaces at its ends. */
const headerValue = /^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$/;
const mostLength = 4000;

/** A running engine with Hasura's API, asked one request after another; mutations only with {@link RunningEngine.disposable}. */
export class RunningServed implements Served {
  readonly kind = "running";
  readonly #engine: RunningEngine;
  readonly #numeric: ReadonlySet<string>;
  readonly #database: Pick<ReadOnlyDatabase, "rows">;

  constructor(engine: RunningEngine, access: DeclaredAccess, database: Pick<ReadOnlyDatabase, "rows">) {
    this.#engine = engine;
    this.#database = database;
    this.#numeric = numericFields(access);
  }

  /** @throws UsageError if there is no engine or the secret is wrong */
  async check(): Promise<void> {
    let response: ReplyBody;
    try {
      response = await this.#post({}, "query { __typename }");
    } catch (error) {
      throw error instanceof Unanswered ? new UsageError(error.message) : error;
    }
    const { data, errors } = response;
    if (data === undefined || data === null)
      throw new UsageError(
        `${this.#engine.url.origin} rejected the admin secret: ${errors?.[0]?.message ?? "no reason given"}`,
      );
  }

  schema(): undefined {
    return undefined;
  }

  takes(variables: Variables): boolean {
    return Object.entries(variables).every(
      ([name, value]) => /^x-hasura-[\w-]+$/.test(name) && headerValue.test(value) && value.length <= mostLength,
    );
  }

  async ask(role: string, variables: Variables, document: string): Promise<Reply> {
    const session = { ...variables, "x-hasura-role": role };
    const response = document.startsWith("subscription")
      ? await this.#first(session, document)
      : await this.#post(session, document);
    return this.#exact(replyFrom(response));
  }

  async askTogether(
    role: string,
    sessions: readonly Variables[],
    document: string,
  ): Promise<readonly (Reply | Unanswered)[]> {
    const replies: (Reply | Unanswered)[] = [];
    for (const variables of sessions) replies.push(await orUnanswered(this.ask(role, variables, document)));
    return replies;
  }

  /** Stores the changes. */
  async rehearse(role: string, variables: Variables, mutation: Mutation, look: string): Promise<Rehearsed> {
    const backend: Variables = mutation.isBackend ? { "x-hasura-use-backend-only-permissions": "true" } : {};
    const before = await this.#database.rows(look);
    const response = await this.#post(
      { ...variables, ...backend, "x-hasura-role": role },
      mutation.query,
      mutation.variables,
    );
    return { reply: this.#exact(replyFrom(response)), before, after: await this.#database.rows(look) };
  }

  async [Symbol.asyncDispose](): Promise<void> {}

  #headers(session: Variables): Record<string, string> {
    return { ...session, [this.#engine.header]: this.#engine.secret };
  }

  async #post(session: Variables, query: string, variables = {}): Promise<ReplyBody> {
    const { url, timeout } = this.#engine;
    try {
      const response = await fetch(url, {
        method: "POST",
        headers: { "content-type": "application/json", ...this.#headers(session) },
        body: JSON.stringify({ query, variables }),
        redirect: "error",
        signal: AbortSignal.timeout(timeout),
      });
      const body = responseIn(await response.text());
      if (body === undefined) throw new Unanswered(`${url.href} answered ${response.status} without GraphQL`);
      return body;
    } catch (error) {
      if (error instanceof Unanswered) throw error;
      const { cause, message } = error as { cause?: { code?: string; message?: string }; message: string };
      throw new Unanswered(`${url.origin} does not answer: ${cause?.message ?? cause?.code ?? message}`);
    }
  }

  /** The first answer of a subscription, by the protocol graphql-transport-ws. */
  async #first(session: Variables, query: string): Promise<ReplyBody> {
    const { url, timeout } = this.#engine;
    const address = new URL(url);
    address.protocol = url.protocol.replace("http", "ws");
    const headers = this.#headers(session);
    const socket = new WebSocket(address, { protocols: ["graphql-transport-ws"], headers });
    const { promise, resolve, reject } = Promise.withResolvers<ReplyBody>();
    const timer = setTimeout(() => reject(new Unanswered(`${url.origin} did not answer a subscription`)), timeout);
    socket.addEventListener("open", () =>
      socket.send(JSON.stringify({ type: "connection_init", payload: { headers } })),
    );
    socket.addEventListener("error", () => reject(new Unanswered(`${url.origin} accepts no subscription`)));
    socket.addEventListener("close", ({ reason }) =>
      reject(new Unanswered(`${url.origin} closed the subscription: ${reason || "no reason given"}`)),
    );
    socket.addEventListener("message", ({ data }) => {
      const { type, payload } = parseExactly(String(data)) as { type: string; payload?: ReplyBody };
      if (type === "connection_ack") socket.send(JSON.stringify({ id: "1", type: "subscribe", payload: { query } }));
      if (type === "next") resolve(payload ?? {});
      if (type === "error") resolve({ errors: [payload as unknown].flat() as ReplyBody["errors"] });
    });
    try {
      return await promise;
    } finally {
      clearTimeout(timer);
      socket.close();
    }
  }

  /** Converts numbers that the engine sends as texts (`stringify-numeric-types`) to the form of other numbers. */
  #exact(reply: Reply): Reply {
    return reply.failure === undefined
      ? { data: withNumbers(reply.data, "", this.#numeric) as Reply["data"] & object }
      : reply;
  }
}

const numericType = /^(int8|numeric|float4|float8|money)$/;

/** Fields that are numeric in every table that has them. */
function numericFields({ tables }: DeclaredAccess): ReadonlySet<string> {
  const numeric = new Set<string>();
  const others = new Set<string>();
  for (const { fields, types } of tables.values())
    for (const [column, field] of fields)
      (numericType.test(types.get(column)?.name ?? "") ? numeric : others).add(field);
  return numeric.difference(others);
}

function withNumbers(value: unknown, key: string, numeric: ReadonlySet<string>): unknown {
  if (typeof value === "string") return numeric.has(key) && /^-?\d/.test(value) ? `#${value}` : value;
  if (Array.isArray(value)) return value.map((item) => withNumbers(item, key, numeric));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, withNumbers(item, name, numeric)]));
}
