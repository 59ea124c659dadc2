import { readFile } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { parseEnvironmentFile } from "@routeql/infra/settings/environment-file";
import { Agent, request } from "undici";

/** Milliseconds between two rounds of a login and a query. */
const interval = 200;
/** Milliseconds after which a request counts as failed. */
const patience = 5_000;

/** Requests of one step. */
export interface Count {
  readonly sent: number;
  readonly failed: number;
  /** Longest time in seconds between two successful rounds. */
  readonly gap: number;
  /** The different failures, for the message of a test. */
  readonly reasons: readonly string[];
}

/** A client that logs in and queries every 200 ms, each time over a new connection, like many short-lived clients. */
export class PollingClient {
  #sent = 0;
  #failed = 0;
  #gap = 0;
  #lastSuccess = performance.now();
  #reasons = new Set<string>();
  readonly #rounds = new Set<Promise<void>>();
  readonly #end = new AbortController();
  readonly #accessFile: string;
  #token = "";

  constructor(accessFile: string) {
    this.#accessFile = accessFile;
  }

  /** Ends with the client. */
  async run(): Promise<void> {
    while (!this.#end.signal.aborted) {
      const round = this.#round().finally(() => this.#rounds.delete(round));
      this.#rounds.add(round);
      await sleep(interval);
    }
    await Promise.all(this.#rounds);
  }

  /** The counts since the last call, after the end of all requests that are under way. */
  async count(): Promise<Count> {
    await Promise.all(this.#rounds);
    this.#noteGap();
    const count = { sent: this.#sent, failed: this.#failed, gap: this.#gap / 1000, reasons: [...this.#reasons] };
    [this.#sent, this.#failed, this.#gap, this.#lastSuccess] = [0, 0, 0, performance.now()];
    this.#reasons.clear();
    return count;
  }

  end(): void {
    this.#end.abort();
  }

  #noteGap(): void {
    this.#gap = Math.max(this.#gap, performance.now() - this.#lastSuccess);
  }

  async #round(): Promise<void> {
    const text = await readFile(this.#accessFile, "utf8").catch(() => undefined);
    // Before the first `up` and after `down` there is no stack.
    if (text === undefined) return;
    const access = Object.fromEntries(parseEnvironmentFile(text).entries.map(({ name, value }) => [name, value]));
    const ca = await readFile(access["ROUTEQL_CA_FILE"] ?? "", "utf8").catch(() => "");
    const agent = new Agent({ connect: { ca }, pipelining: 0 });
    const send = async (path: string, headers: Record<string, string>, body?: object): Promise<Answer> => {
      this.#sent += 1;
      const { statusCode, body: answer } = await request(new URL(path, access["ROUTEQL_URL"]), {
        dispatcher: agent,
        method: body === undefined ? "GET" : "POST",
        headers: { ...headers, "content-type": "application/json" },
        body: body === undefined ? null : JSON.stringify(body),
        signal: AbortSignal.timeout(patience),
      });
      const said = await answer.text();
      if (statusCode !== 200) throw new Error(`${path} answers ${statusCode} ${said.slice(0, 80)}`);
      return JSON.parse(said) as Answer;
    };
    const key = { "x-service-api-key": access["SERVICE_API_KEY"] ?? "" };
    const logIn = async (): Promise<void> => {
      const credentials = { email: access["ADMIN_EMAIL"], password: access["ADMIN_PASSWORD"] };
      const { user } = await send("/api/auth/login/credentials", key, credentials);
      const token = await send("/api/auth/jwt", { ...key, cookie: `sid=${user?.sessionId}` });
      this.#token = token.access_token ?? "";
    };
    const query = async (): Promise<void> => {
      if (this.#token === "") return;
      const answer = await send(
        "/api/graphql",
        { authorization: `Bearer ${this.#token}` },
        { query: "{ view_bgpupdates(limit: 1) { prefix } }" },
      );
      if (answer.errors !== undefined) throw new Error(JSON.stringify(answer.errors).slice(0, 160));
    };
    const results = await Promise.allSettled([logIn(), query()]);
    await agent.close();
    for (const result of results) {
      if (result.status === "fulfilled") continue;
      this.#failed += 1;
      const reason = result.reason as Error & { code?: string };
      this.#reasons.add(reason.code ?? reason.message);
    }
    if (results.some(({ status }) => status === "rejected")) return;
    this.#noteGap();
    this.#lastSuccess = performance.now();
  }
}

interface Answer {
  readonly user?: { readonly sessionId: string };
  readonly access_token?: string;
  readonly errors?: unknown;
}
