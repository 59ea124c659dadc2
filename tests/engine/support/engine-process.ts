import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { resolve } from "node:path";

const main = resolve(import.meta.dirname, "../../../engine/src/main.ts");
export const adminSecret = "a-secret-for-tests-of-the-engine";

export interface EngineProcess extends AsyncDisposable {
  readonly url: string;
  /** Lines of the log so far. */
  log(): readonly Readonly<Record<string, unknown>>[];
  /** Status and body of a request to the metadata API. */
  metadata(request: object): Promise<{ readonly status: number; readonly body: unknown }>;
  /** The `data` or the `errors` of a query by role admin, or by the given role. */
  ask(query: string, role?: string): Promise<Readonly<Record<string, unknown>>>;
  /** Values without labels or with their labels in the name. */
  metrics(): Promise<ReadonlyMap<string, number>>;
  stop(): Promise<number | null>;
  /** Ends the process with SIGKILL. */
  kill(): Promise<void>;
}

/**
 * Starts the engine as a separate process on free ports.
 * @throws Error with its output if it exits before it serves
 */
export async function startEngineProcess(environment: Readonly<Record<string, string>>): Promise<EngineProcess> {
  const child = spawn(process.execPath, [main], {
    env: {
      HASURA_GRAPHQL_SERVER_HOST: "127.0.0.1",
      HASURA_GRAPHQL_SERVER_PORT: "0",
      ENGINE_METRICS_PORT: "0",
      HASURA_GRAPHQL_ADMIN_SECRET: adminSecret,
      ENGINE_POOL_SIZE: "2",
      ...environment,
    },
    stdio: ["ignore", "pipe", "pipe"],
  });
  // An aborted test run must leave no engine running.
  const end = (): void => void child.kill("SIGKILL");
  process.once("exit", end);
  child.once("exit", () => process.off("exit", end));
  const lines: Record<string, unknown>[] = [];
  const { port, metricsPort } = await untilItServes(child, lines);
  const url = `http://127.0.0.1:${String(port)}`;
  const post = (path: string, body: object, headers: Readonly<Record<string, string>> = {}) =>
    fetch(url + path, {
      method: "POST",
      headers: { "x-hasura-admin-secret": adminSecret, ...headers },
      body: JSON.stringify(body),
    });

  async function stop(signal: NodeJS.Signals = "SIGTERM"): Promise<number | null> {
    if (child.exitCode === null && child.signalCode === null) {
      child.kill(signal);
      await once(child, "exit");
    }
    return child.exitCode;
  }

  return {
    url,
    log: () => lines,
    async metadata(request) {
      const response = await post("/v1/metadata", request);
      return { status: response.status, body: await response.json() };
    },
    async ask(query, role) {
      const response = await post("/v1/graphql", { query }, role === undefined ? {} : { "x-hasura-role": role });
      return (await response.json()) as Record<string, unknown>;
    },
    async metrics() {
      const text = await (await fetch(`http://127.0.0.1:${String(metricsPort)}/metrics`)).text();
      return new Map(
        [...text.matchAll(/^([a-z_]+(?:\{.*\})?) (\S+)$/gm)].map(([, name = "", value]) => [name, Number(value)]),
      );
    },
    stop: () => stop(),
    kill: async () => void (await stop("SIGKILL")),
    // A graceful stop waits two seconds for requests on open connections.
    [Symbol.asyncDispose]: async () => void (await stop("SIGKILL")),
  };
}

interface Ports {
  readonly port: number;
  readonly metricsPort: number;
}

function untilItServes(child: ChildProcess, lines: Record<string, unknown>[]): Promise<Ports> {
  return new Promise((serving, failed) => {
    let errors = "";
    let rest = "";
    child.stderr?.on("data", (chunk: Buffer) => (errors += chunk.toString()));
    child.stdout?.on("data", (chunk: Buffer) => {
      const texts = (rest + chunk.toString()).split("\n");
      rest = texts.pop() ?? "";
      for (const text of texts) {
        const line = JSON.parse(text) as Record<string, unknown>;
        lines.push(line);
        if (line["message"] === "engine started") serving(line as unknown as Ports);
      }
    });
    child.once("error", failed);
    child.once("exit", (code) => failed(new Error(`the engine ended with ${String(code)}: ${errors}`)));
  });
}
