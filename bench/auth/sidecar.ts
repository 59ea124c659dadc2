import { randomBytes } from "node:crypto";
import { resolve } from "node:path";
import { hashPassword } from "@routeql/auth-sidecar/passwords/password-hash";
import { paths } from "@routeql/contract/paths";
import { freePorts } from "@routeql/tests/harness/free-ports";
import { startSessions } from "@routeql/tests/harness/containers/sessions-container";
import { BenchDatabase } from "../database.ts";
import { compileCache, confine, contenderCore, ServerProcess } from "../measure/server-process.ts";
import type { Target } from "../measure/http-load.ts";

/** A sidecar on its own core with its database and session store, one account, and the measured requests. */
export interface BenchSidecar extends AsyncDisposable {
  readonly server: ServerProcess;
  /** An empty answer of the server itself, through Express. */
  readonly empty: Target;
  /** A token for a session: the flow's second step. */
  readonly token: Target;
  /** A session for e-mail and password: the flow's first step. */
  readonly login: Target;
}

export async function startBenchSidecar(): Promise<BenchSidecar> {
  const stack = new AsyncDisposableStack();
  try {
    const database = stack.use(await BenchDatabase.start());
    const sessions = await startSessions();
    stack.defer(async () => void (await sessions.stop()));
    await Promise.all([confine(database.container), confine(sessions)]);
    const account = { email: "bench@example.net", password: randomBytes(12).toString("base64url") };
    await using owner = await database.container.connect("owner");
    await owner.query(
      "insert into auth.users (id, email, name, password_hash, role) values ('bench', $1, 'Bench', $2, 'analyst')",
      [account.email, await hashPassword(account.password)],
    );
    const [port = 0, metricsPort = 0] = await freePorts(2);
    const serviceKey = randomBytes(24).toString("hex");
    const server = await ServerProcess.start({
      name: "auth-sidecar",
      core: contenderCore,
      args: [resolve(import.meta.dirname, "../../auth-sidecar/src/main.ts")],
      environment: {
        NODE_ENV: "production",
        NODE_COMPILE_CACHE: compileCache,
        PORT: String(port),
        METRICS_PORT: String(metricsPort),
        DATABASE_URL: database.container.getConnectionUri("sidecar"),
        SESSIONS_URL: sessions.getConnectionUri(),
        SERVICE_API_KEY: serviceKey,
        KEY_ENCRYPTION_KEY: randomBytes(24).toString("hex"),
      },
      readyUrl: `http://127.0.0.1:${port}/readyz`,
    });
    stack.use(server);
    const local = { host: "127.0.0.1", port };
    const headers = { "x-service-api-key": serviceKey };
    const login: Target = {
      ...local,
      method: "POST",
      path: paths.loginCredentials,
      headers,
      body: JSON.stringify(account),
    };
    const cookie = await cookieOf(login);
    const running = stack.move();
    return {
      server,
      empty: { ...local, method: "GET", path: "/livez", headers: {} },
      token: { ...local, method: "GET", path: paths.token, headers: { ...headers, cookie } },
      login,
      [Symbol.asyncDispose]: () => running.disposeAsync(),
    };
  } catch (error) {
    await stack.disposeAsync();
    throw error;
  }
}

async function cookieOf({ port, path, headers, body }: Target): Promise<string> {
  const response = await fetch(`http://127.0.0.1:${port}${path}`, {
    method: "POST",
    headers: { ...headers, "content-type": "application/json" },
    body,
  });
  const cookie = response.headers.get("set-cookie")?.split(";")[0];
  if (cookie === undefined) throw new Error(`the login was answered with ${response.status}`);
  return cookie;
}
