import { generateKeyPairSync, randomBytes } from "node:crypto";
import { join, resolve } from "node:path";
import { SignJWT } from "jose";
import { freePorts } from "@routeql/tests/harness/free-ports";
import type { Target } from "../measure/http-load.ts";
import type { LiveServer } from "./live.ts";
import { compileCache, type Measured, ServerProcess } from "../measure/server-process.ts";

const repository = resolve(import.meta.dirname, "../..");

/** Connections of each contender to Postgres: the engine's default. */
const poolSize = 4;

const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });

/** For every server: verifies the tokens of this run. */
export const jwtSecret = JSON.stringify({
  type: "ES256",
  key: publicKey.export({ type: "spki", format: "pem" }),
  issuer: "routeql",
  audience: "routeql",
});

/** One query in the language of each contender. */
export interface Case {
  readonly name: string;
  /** One row with a column `data`, the text of the reply's data; absent for mutations. */
  readonly statement?: string;
  /** The query, or mutations that take turns. */
  readonly hasura: string | readonly string[];
  readonly connections: number;
}

export interface Contender {
  readonly name: string;
  readonly server: Measured;
  readonly target: (asked: Case) => Target;
}

export interface GraphqlContender extends Contender {
  /** For live queries. */
  readonly socket: Omit<LiveServer, "name">;
}

/** See baseline-server.ts. */
export async function startBaseline(databaseUrl: string, cases: readonly Case[]): Promise<Contender> {
  const [port = 0] = await freePorts(1);
  const pathOf = (asked: Case): string => `/${encodeURIComponent(asked.name)}`;
  const server = await ServerProcess.start({
    name: "baseline",
    args: [join(import.meta.dirname, "baseline-server.ts")],
    environment: {
      PORT: String(port),
      DATABASE_URL: databaseUrl,
      POOL_SIZE: String(poolSize),
      STATEMENTS: JSON.stringify(Object.fromEntries(cases.map((asked) => [pathOf(asked), asked.statement]))),
    },
    readyUrl: `http://127.0.0.1:${port}/ready`,
  });
  const target = { host: "127.0.0.1", port, method: "POST", headers: {} } as const;
  return {
    name: "baseline",
    server,
    target: (asked) => ({ ...target, path: pathOf(asked), ...graphql(asked.hasura) }),
  };
}

export interface EngineProcess extends AsyncDisposable {
  readonly server: ServerProcess;
  readonly port: number;
  readonly token: string;
}

export interface EngineProcessOptions {
  /** Folder of another version of the project, with its packages installed; default this one. */
  readonly checkout?: string | undefined;
  /** Of its log. */
  readonly name?: string;
  /** A directory or a file; default the checkout's own. */
  readonly metadata?: string;
  /** The only core that it may use; default all. */
  readonly core?: number;
  /** Options of node. */
  readonly flags?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
}

/** The embedded engine like in a deployment: it verifies tokens; limits, metrics and logs have their defaults. */
export async function startEngineProcess(
  databaseUrl: string,
  options: EngineProcessOptions = {},
): Promise<EngineProcess> {
  const { checkout = repository, core, flags = [] } = options;
  const { metadata = resolve(checkout, "hasura-metadata") } = options;
  const [port = 0, metricsPort = 0] = await freePorts(2);
  const server = await ServerProcess.start({
    name: options.name ?? (checkout === repository ? "engine" : "engine-other"),
    args: [...flags, join(checkout, "engine/src/main.ts")],
    core,
    environment: {
      NODE_ENV: "production",
      NODE_COMPILE_CACHE: compileCache,
      // As in images/engine/Dockerfile.
      NODE_OPTIONS: "--max-semi-space-size=4 --expose-gc",
      MALLOC_ARENA_MAX: "1",
      HASURA_GRAPHQL_SERVER_HOST: "127.0.0.1",
      HASURA_GRAPHQL_SERVER_PORT: String(port),
      HASURA_GRAPHQL_ADMIN_SECRET: randomBytes(24).toString("hex"),
      HASURA_GRAPHQL_JWT_SECRET: jwtSecret,
      ENGINE_METADATA_DIRECTORY: metadata,
      ENGINE_METRICS_PORT: String(metricsPort),
      ENGINE_POOL_SIZE: String(poolSize),
      ROUTEQL_DATABASE_URL: databaseUrl,
      ...options.environment,
    },
    readyUrl: `http://127.0.0.1:${port}/healthz`,
  });
  return { server, port, token: await makeToken(), [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() };
}

/** An analyst's token, signed with ES256 and valid for one hour. */
export function makeToken(): Promise<string> {
  const claims = {
    "x-hasura-allowed-roles": ["analyst"],
    "x-hasura-default-role": "analyst",
    "x-hasura-user-id": "bench",
  };
  return new SignJWT({ "https://hasura.io/jwt/claims": claims })
    .setProtectedHeader({ alg: "ES256" })
    .setIssuer("routeql")
    .setAudience("routeql")
    .setSubject("bench")
    .setIssuedAt()
    .setExpirationTime("1h")
    .sign(privateKey);
}

/** One start that does not count. It fills the cache of compiled code like in an image; without it a process keeps 25 MB for the compiler. */
export async function fillCompileCache(databaseUrl: string, checkout?: string): Promise<void> {
  await using _engine = await startEngineProcess(databaseUrl, { checkout });
}

export async function startEngine(databaseUrl: string, checkout?: string): Promise<Contender> {
  const { server, port, token } = await startEngineProcess(databaseUrl, { checkout });
  return graphqlContender("engine", server, { port, token });
}

export function graphqlContender(
  name: string,
  server: Measured,
  { token, ...address }: { readonly host?: string; readonly port: number; readonly token: string },
): GraphqlContender {
  const headers = { authorization: `Bearer ${token}` };
  const target = { host: "127.0.0.1", ...address, method: "POST", path: "/v1/graphql", headers } as const;
  const url = `ws://${target.host}:${target.port}${target.path}`;
  return { name, server, target: (asked) => ({ ...target, ...graphql(asked.hasura) }), socket: { server, url, token } };
}

/** The body of a request, or bodies that take turns. */
function graphql(queries: Case["hasura"]): Pick<Target, "body" | "bodies"> {
  const body = (query: string): string => JSON.stringify({ query });
  return typeof queries === "string" ? { body: body(queries) } : { bodies: queries.map(body) };
}
