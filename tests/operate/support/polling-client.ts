import { readFile } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { parseAccessText } from "@routeql/cli/access/access";
import { Agent, request } from "undici";

/** Milliseconds between two requests of a kind. */
const interval = 200;
/** Milliseconds after which a request counts as failed, on a machine with other load. */
const patience = 30_000;

/** Requests of one step. */
export interface Count {
  readonly sent: number;
  readonly failed: number;
  /** Longest time in seconds without a successful request of one kind. */
  readonly gap: number;
  /** The different failures, for the message of a test. */
  readonly reasons: readonly string[];
}

interface Answer {
  readonly user?: { readonly sessionId: string };
  readonly access_token?: string;
  readonly errors?: unknown;
}

/** A client that logs in and queries every 200 ms, one request after the other, each over a new connection. */
export class PollingClient {
  #count = { sent: 0, failed: 0, gap: 0, reasons: new Set<string>() };
  #token = "";
  #ended = false;
  readonly #accessFile: string;
  readonly #authority: string;
  readonly #loops: Promise<unknown>;

  /** @param authority PEM file that the client trusts besides the one in access.env */
  constructor(accessFile: string, authority: string) {
    this.#accessFile = accessFile;
    this.#authority = authority;
    this.#loops = Promise.all([this.#repeat(() => this.#logIn()), this.#repeat(() => this.#query())]);
  }

  /** The counts since the last call. */
  count(): Count {
    const { reasons, ...counts } = this.#count;
    this.#count = { sent: 0, failed: 0, gap: 0, reasons: new Set() };
    return { ...counts, reasons: [...reasons] };
  }

  async end(): Promise<void> {
    this.#ended = true;
    await this.#loops;
  }

  async #repeat(work: () => Promise<void>): Promise<void> {
    let success = performance.now();
    while (!this.#ended) {
      const failure = await work().catch((error: unknown) => error as Error & { code?: string });
      if (failure === undefined) success = performance.now();
      else {
        this.#count.failed += 1;
        this.#count.reasons.add(failure.code ?? failure.message);
        this.#count.gap = Math.max(this.#count.gap, (performance.now() - success) / 1000);
      }
      await sleep(interval);
    }
  }

  async #send(path: string, access: ReadonlyMap<string, string>, headers: object, body?: object): Promise<Answer> {
    const own = await readFile(access.get("ROUTEQL_CA_FILE") ?? "", "utf8").catch(() => "");
    const agent = new Agent({ connect: { ca: [own, await readFile(this.#authority, "utf8")] } });
    this.#count.sent += 1;
    try {
      const { statusCode, body: answer } = await request(new URL(path, access.get("ROUTEQL_URL")), {
        dispatcher: agent,
        method: body === undefined ? "GET" : "POST",
        headers: { ...headers, "content-type": "application/json" },
        body: body === undefined ? null : JSON.stringify(body),
        signal: AbortSignal.timeout(patience),
      });
      const text = await answer.text();
      if (statusCode !== 200) throw new Error(`${path} answers ${statusCode} ${text.slice(0, 80)}`);
      const parsed = JSON.parse(text) as Answer;
      if (parsed.errors !== undefined) throw new Error(JSON.stringify(parsed.errors).slice(0, 160));
      return parsed;
    } finally {
      await agent.close();
    }
  }

  /** Undefined before the first `up` and after `down --volumes`. */
  async #access(): Promise<ReadonlyMap<string, string> | undefined> {
    const text = await readFile(this.#accessFile, "utf8").catch(() => undefined);
    return text === undefined ? undefined : parseAccessText(text);
  }

  async #logIn(): Promise<void> {
    const access = await this.#access();
    if (access === undefined) return;
    const key = { "x-service-api-key": access.get("SERVICE_API_KEY") };
    const credentials = { email: access.get("ADMIN_EMAIL"), password: access.get("ADMIN_PASSWORD") };
    const { user } = await this.#send("/api/auth/login/credentials", access, key, credentials);
    const session = { ...key, cookie: `sid=${user?.sessionId}` };
    this.#token = (await this.#send("/api/auth/jwt", access, session)).access_token ?? "";
  }

  async #query(): Promise<void> {
    const access = await this.#access();
    if (access === undefined || this.#token === "") return;
    const headers = { authorization: `Bearer ${this.#token}` };
    await this.#send("/api/graphql", access, headers, { query: "{ view_bgpupdates(limit: 1) { prefix } }" });
  }
}
