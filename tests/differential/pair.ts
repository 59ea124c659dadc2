import { apply } from "@routeql/engine/apply-metadata/apply";
import { type Metadata, MetadataApi } from "@routeql/engine/apply-metadata/metadata-api";
import type { TestContext } from "vitest";
import { WebSocket } from "ws";
import { startConformanceDatabase } from "../conformance/database.ts";
import { adminSecret, startEngineProcess } from "../engine/support/engine-process.ts";
import { execute } from "../harness/execute.ts";
import { startHasura } from "../harness/containers/hasura-container.ts";
import type { GraphqlRequest } from "./generator.ts";

/** A request as one session. */
export interface Call extends GraphqlRequest {
  /** Role and session variables. */
  readonly session: Readonly<Record<string, string>>;
}

export interface Answer {
  readonly status: number;
  readonly type: string | null;
  readonly body: string;
  /** Rows and sequences that a mutation changed, one a line. */
  readonly changes?: string;
}

export interface Server {
  readonly address: string;
  readonly adminSecret: string;
}

/** Both engines; each stores its metadata in its own database of one Postgres. */
export interface Pair extends AsyncDisposable {
  readonly hasura: Server;
  readonly embedded: Server;
  /** Address of a Postgres for a role that may create databases. */
  readonly database: string;
  /** Gives both engines the same metadata, except for the addresses of databases. */
  apply(hasura: Metadata, embedded?: Metadata): Promise<void>;
}

/** Settings of both engines: without the SQL text in errors, which necessarily differs, and with quick live queries. */
const settings = {
  HASURA_GRAPHQL_EXPERIMENTAL_FEATURES: "naming_convention",
  HASURA_GRAPHQL_ADMIN_INTERNAL_ERRORS: "false",
  HASURA_GRAPHQL_LIVE_QUERIES_MULTIPLEXED_REFETCH_INTERVAL: "100",
  HASURA_GRAPHQL_STREAMING_QUERIES_MULTIPLEXED_REFETCH_INTERVAL: "100",
};

/** The kit's own bounds are no property of Hasura. */
const unbounded = Object.fromEntries(
  ["TOKENS", "NODES", "LIST_NESTING", "RELATIONS", "CONDITIONS", "INTROSPECTION", "DEPTH", "BREADTH"].map((name) => [
    `ENGINE_MAX_${name}`,
    "0",
  ]),
);

export async function createDatabase(server: string, name: string): Promise<string> {
  await execute(server, `drop database if exists ${name} with (force)`, `create database ${name}`);
  return Object.assign(new URL(server), { pathname: `/${name}` }).href;
}

/** The embedded engine as a process, with its metadata in a database. */
export async function startEmbedded(metadataDatabase: string, metadata?: Metadata): Promise<Server & AsyncDisposable> {
  const engine = await startEngineProcess({
    ...settings,
    ...unbounded,
    HASURA_GRAPHQL_METADATA_DATABASE_URL: metadataDatabase,
  });
  const server = { address: engine.url, adminSecret };
  if (metadata !== undefined) await apply(new MetadataApi(server), metadata);
  return { ...server, [Symbol.asyncDispose]: () => engine[Symbol.asyncDispose]() };
}

/** @param owned everything that the pair runs on */
export const pairOf = (
  { hasura, embedded, database }: Pick<Pair, "hasura" | "embedded" | "database">,
  owned: AsyncDisposableStack,
): Pair => ({
  hasura,
  embedded,
  database,
  async apply(one, other = one) {
    await apply(new MetadataApi(hasura), one);
    await apply(new MetadataApi(embedded), other);
  },
  [Symbol.asyncDispose]: () => owned.disposeAsync(),
});

/** Skips without Hasura's image. */
export async function startPair(skip: TestContext["skip"]): Promise<Pair> {
  await using stack = new AsyncDisposableStack();
  const { address: database } = stack.use(await startConformanceDatabase());
  const hasura = stack.use(await startHasura({ skip }, await createDatabase(database, "hasura_metadata"), settings));
  const embedded = stack.use(await startEmbedded(await createDatabase(database, "embedded_metadata")));
  return pairOf({ hasura, embedded, database }, stack.move());
}

export async function post(server: Server, { session, ...body }: Call): Promise<Answer> {
  const response = await fetch(`${server.address}/v1/graphql`, {
    method: "POST",
    headers: { "content-type": "application/json", "x-hasura-admin-secret": server.adminSecret, ...session },
    body: JSON.stringify(body),
  });
  return { status: response.status, type: response.headers.get("content-type"), body: await response.text() };
}

/** Milliseconds in which a stream without rows sends nothing. */
const silence = 3_000;

/** The first answer of a subscription. */
export function subscribe(server: Server, { session, ...payload }: Call): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const socket = new WebSocket(`${server.address.replace("http", "ws")}/v1/graphql`, "graphql-transport-ws");
    let timer: NodeJS.Timeout | undefined;
    const finish = (type: string, body: unknown): void => {
      clearTimeout(timer);
      socket.terminate();
      resolve({ status: 200, type, body: JSON.stringify(body ?? null) });
    };
    const headers = { "x-hasura-admin-secret": server.adminSecret, ...session };
    socket.on("open", () => socket.send(JSON.stringify({ type: "connection_init", payload: { headers } })));
    socket.on("error", reject);
    socket.on("close", (code) => finish("close", code));
    socket.on("message", (data) => {
      const message = parseExactly((data as Buffer).toString("utf8")) as { type: string; payload?: unknown };
      if (message.type === "connection_ack") {
        socket.send(JSON.stringify({ type: "subscribe", id: "1", payload }));
        timer = setTimeout(() => finish("silence", null), silence);
      }
      if (["next", "error", "complete"].includes(message.type)) finish(message.type, message.payload);
    });
  });
}

/** JSON with each number as its text, since JavaScript rounds long ones. */
export function parseExactly(text: string): unknown {
  return JSON.parse(text, (_key, value: unknown, context?: { readonly source?: string }) =>
    typeof value === "number" ? { number: context?.source } : value,
  ) as unknown;
}
