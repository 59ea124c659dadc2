import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { createServer } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import type { ApplySettings } from "./settings.ts";

/** Lines of the engine's output that an error shows. */
const shownLines = 20;
const stopMilliseconds = 10_000;

/** The engine with only its metadata API, on a loopback address with a key that only this process knows. */
export interface EngineProcess extends AsyncDisposable {
  readonly address: string;
  readonly adminSecret: string;
  /** The last lines of its output, without secrets. */
  lastLines(): readonly string[];
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer().once("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      server.close(() =>
        typeof address === "object" && address !== null ? resolve(address.port) : reject(new Error("no port")),
      );
    });
  });
}

/** The user information of each address, and its password. */
function secretsIn(urls: readonly string[]): readonly string[] {
  return urls.flatMap((url) => {
    const { password } = URL.canParse(url) ? new URL(url) : { password: "" };
    return [url, password, decodeURIComponent(password)].filter((secret) => secret !== "");
  });
}

/** Starts the engine and waits until it answers. @param program its command line @throws with its last lines when it does not */
export async function startEngine(
  { databases, startSeconds }: Pick<ApplySettings, "databases" | "startSeconds">,
  program: readonly [string, ...string[]] = ["graphql-engine", "serve"],
): Promise<EngineProcess> {
  const port = await freePort();
  const adminSecret = randomBytes(32).toString("base64url");
  const secrets = [adminSecret, ...secretsIn(Object.values(databases))];
  const [command, ...args] = program;
  const child = spawn(command, args, {
    stdio: ["ignore", "pipe", "pipe"],
    env: {
      PATH: process.env["PATH"],
      LANG: process.env["LANG"],
      ...databases,
      HASURA_GRAPHQL_SERVER_HOST: "127.0.0.1",
      HASURA_GRAPHQL_SERVER_PORT: String(port),
      HASURA_GRAPHQL_ADMIN_SECRET: adminSecret,
      HASURA_GRAPHQL_ENABLED_APIS: "metadata",
      HASURA_GRAPHQL_ENABLE_CONSOLE: "false",
      HASURA_GRAPHQL_ENABLE_TELEMETRY: "false",
      HASURA_GRAPHQL_EXPERIMENTAL_FEATURES: "naming_convention",
      HASURA_GRAPHQL_LOG_LEVEL: "warn",
      HASURA_GRAPHQL_GRACEFUL_SHUTDOWN_TIMEOUT: "5",
    },
  });
  const lines: string[] = [];
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text: string) => {
      const shown = secrets.reduce((rest, secret) => rest.replaceAll(secret, "…"), text);
      lines.push(...shown.split("\n").filter((line) => line.trim() !== ""));
      lines.splice(0, lines.length - shownLines);
    });
  }
  let end: string | undefined;
  const ended = new Promise<void>((resolve) => {
    child.once("error", (error) => resolve(void (end = error.message)));
    child.once("close", (code, signal) => resolve(void (end ??= `exit code ${code ?? signal}`)));
  });
  const engine: EngineProcess = {
    address: `http://127.0.0.1:${port}`,
    adminSecret,
    lastLines: () => lines,
    async [Symbol.asyncDispose]() {
      child.kill("SIGTERM");
      await Promise.race([ended, delay(stopMilliseconds, undefined, { ref: false })]);
      child.kill("SIGKILL");
      await ended;
    },
  };
  const deadline = performance.now() + startSeconds * 1000;
  for (;;) {
    const answers = await fetch(`${engine.address}/v1/version`).then(
      ({ ok }) => ok,
      () => false,
    );
    if (answers) return engine;
    const late = performance.now() > deadline;
    if (end !== undefined || late) {
      await engine[Symbol.asyncDispose]();
      const reason = late ? `did not answer within ${startSeconds} s` : `did not start (${end})`;
      throw new Error([`The engine ${reason}. Its last lines:`, ...lines.map((line) => `  ${line}`)].join("\n"));
    }
    await Promise.race([ended, delay(250)]);
  }
}
