import { setTimeout as sleep } from "node:timers/promises";
import { checkServerIdentity } from "node:tls";
import { Agent, buildConnector, fetch } from "undici";
import { stack } from "../../e2e/support/stack/stack.ts";

/** One failed request. */
export interface Lost {
  readonly what: string;
  readonly at: number;
  readonly why: string;
}

export interface Work {
  /** Number of correctly answered requests. */
  readonly answered: number;
  readonly lost: readonly Lost[];
  /** Maximum duration of one request, in milliseconds. */
  readonly longest: number;
}

interface Kind {
  readonly what: string;
  readonly path: string;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly expected: RegExp;
}

const kinds: readonly Kind[] = [
  {
    what: "query",
    path: "/api/graphql",
    method: "POST",
    headers: { "content-type": "application/json", "x-engine-access-key": stack.engineAccessKey },
    body: JSON.stringify({ query: "{ view_hijacks(limit: 1) { key } }" }),
    expected: /^\{"data":\{"view_hijacks":\[/,
  },
  {
    what: "login",
    path: "/api/auth/login/credentials",
    method: "POST",
    headers: { "content-type": "application/json", "x-service-api-key": stack.serviceApiKey },
    body: JSON.stringify({ email: stack.adminEmail, password: stack.adminPassword }),
    expected: /"sessionId":/,
  },
];

/**
 * Sends requests one after the other, each kind by its own client and on a new connection, and never repeats one: the view of a client
 * that does not retry.
 */
export class Clients {
  private readonly lost: Lost[] = [];
  private readonly lastAnswers = new Map(kinds.map(({ what }) => [what, 0]));
  private readonly working: readonly Promise<void>[];
  private readonly agent: Agent;
  private answered = 0;
  private longest = 0;
  private ended = false;

  /**
   * @param pause milliseconds between an answer and the next request
   * @param address address of each new connection, as a load balancer chooses it; default: that of the URL
   */
  constructor(pause = 20, address?: () => string) {
    const { hostname: named } = new URL(stack.url);
    const connect = buildConnector({
      ca: stack.caCertificate,
      checkServerIdentity: (_, certificate) => checkServerIdentity(named, certificate),
    });
    this.agent = new Agent({
      connect: (options, callback) => connect({ ...options, hostname: address?.() ?? options.hostname }, callback),
      pipelining: 0,
    });
    this.working = kinds.map((kind) => this.work(kind, pause));
  }

  async end(): Promise<Work> {
    this.ended = true;
    await Promise.all(this.working);
    await this.agent.close();
    return { answered: this.answered, lost: this.lost, longest: this.longest };
  }

  /** When the last correctly answered request was sent, of the kind where that is longest ago, in milliseconds since 1970. */
  get allAnsweredAt(): number {
    return Math.min(...this.lastAnswers.values());
  }

  /** Number of lost requests up to now. */
  get lostSoFar(): number {
    return this.lost.length;
  }

  private async work(kind: Kind, pause: number): Promise<void> {
    while (!this.ended) {
      const began = Date.now();
      const problem = await this.ask(kind);
      this.longest = Math.max(this.longest, Date.now() - began);
      if (problem === undefined) {
        this.answered += 1;
        this.lastAnswers.set(kind.what, began);
      } else this.lost.push({ what: kind.what, at: began, why: problem });
      await sleep(pause);
    }
  }

  private async ask({ path, method, headers, body, expected }: Kind): Promise<string | undefined> {
    try {
      const response = await fetch(new URL(path, stack.url), {
        method,
        headers: { ...headers, connection: "close" },
        ...(body === undefined ? {} : { body }),
        dispatcher: this.agent,
        signal: AbortSignal.timeout(30_000),
      });
      const text = await response.text();
      return response.status === 200 && expected.test(text) ? undefined : `${response.status} ${text.slice(0, 200)}`;
    } catch (error) {
      const { message, cause } = error as Error;
      return `${message}${cause instanceof Error ? `: ${cause.message}` : ""}`;
    }
  }
}
