import { type Client, createClient } from "graphql-ws";
import { SubscriptionClient } from "subscriptions-transport-ws";
import { WebSocket } from "ws";
import { stack } from "../stack/stack.ts";

export interface SocketOptions {
  /** Headers of the upgrade request. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Payload of connection_init. */
  readonly payload?: Record<string, unknown>;
  /** Address of the listener; by default the API's. */
  readonly base?: string;
}

export interface Closing {
  readonly code: number;
  readonly reason: string;
  /** `Date.now()` of the event. */
  readonly at: number;
}

/** The answers of a subscription up to now, with a method to wait for one. */
export interface Feed {
  readonly answers: readonly { readonly value: unknown; readonly at: number }[];
  readonly errors: readonly unknown[];
  readonly closing: Promise<Closing>;
  /**
   * The first matching answer, including earlier ones.
   * @throws {Error} after this number of milliseconds
   */
  until(fits: (value: unknown) => boolean, milliseconds: number): Promise<{ value: unknown; at: number }>;
  dispose(): Promise<void>;
}

export type Subscribe = (query: string, options: SocketOptions) => Feed;

/** Both WebSocket protocols, each with its own client library. */
export const protocols: readonly { readonly name: string; readonly subscribe: Subscribe }[] = [
  { name: "graphql-transport-ws (graphql-ws)", subscribe: subscribeModern },
  { name: "legacy graphql-ws (subscriptions-transport-ws)", subscribe: subscribeLegacy },
];

export function subscribeModern(query: string, options: SocketOptions): Feed {
  const feed = new Collected();
  const client: Client = createClient({
    url: socketUrl(options),
    webSocketImpl: trusting(options, feed),
    connectionParams: options.payload,
    retryAttempts: 0,
    lazy: true,
  });
  client.subscribe(
    { query },
    {
      next: (answer) => feed.push(answer.data ?? answer),
      error: (error) => feed.fail(error),
      complete: () => undefined,
    },
  );
  // Waits for the connection, and rejects if that fails. The feed has this error already.
  feed.onDispose(async () => Promise.resolve(client.dispose()).catch(() => undefined));
  return feed;
}

function subscribeLegacy(query: string, options: SocketOptions): Feed {
  const feed = new Collected();
  const client = new SubscriptionClient(
    socketUrl(options),
    {
      reconnect: false,
      connectionParams: options.payload,
      minTimeout: 30_000,
      connectionCallback: (error) => error && feed.fail(error),
    },
    trusting(options, feed),
    "graphql-ws",
  );
  client
    .request({ query })
    .subscribe({
      next: (answer) => feed.push(answer.data ?? answer),
      error: (error: unknown) => feed.fail(error),
      complete: () => undefined,
    });
  feed.onDispose(() => client.close());
  return feed;
}

function socketUrl({ base = stack.url }: SocketOptions): string {
  return `${base.replace("https:", "wss:")}/api/graphql`;
}

/** A WebSocket class that trusts the stack's CA, sends the headers and reports its close to the feed. */
function trusting({ headers = {} }: SocketOptions, feed: Collected): typeof WebSocket {
  return class extends WebSocket {
    constructor(address: string, protocol: string) {
      super(address, protocol, { ca: stack.caCertificate, headers });
      this.on("close", (code, reason) => feed.closed({ code, reason: reason.toString(), at: Date.now() }));
      this.on("error", (error) => feed.fail(error));
    }
  } as unknown as typeof WebSocket;
}

class Collected implements Feed {
  readonly answers: { value: unknown; at: number }[] = [];
  readonly errors: unknown[] = [];
  readonly closing: Promise<Closing>;
  private readonly resolveClosing: (closing: Closing) => void;
  private waiting: (() => void)[] = [];
  private disposer: () => void | Promise<void> = () => undefined;

  constructor() {
    const { promise, resolve } = Promise.withResolvers<Closing>();
    this.closing = promise;
    this.resolveClosing = resolve;
  }

  push(value: unknown): void {
    this.answers.push({ value, at: Date.now() });
    for (const wake of this.waiting.splice(0)) wake();
  }

  fail(error: unknown): void {
    this.errors.push(error);
    for (const wake of this.waiting.splice(0)) wake();
  }

  closed(closing: Closing): void {
    this.resolveClosing(closing);
    for (const wake of this.waiting.splice(0)) wake();
  }

  onDispose(disposer: () => void | Promise<void>): void {
    this.disposer = disposer;
  }

  async until(fits: (value: unknown) => boolean, milliseconds: number): Promise<{ value: unknown; at: number }> {
    const deadline = Date.now() + milliseconds;
    for (;;) {
      const answer = this.answers.find(({ value }) => fits(value));
      if (answer !== undefined) return answer;
      const left = deadline - Date.now();
      if (left <= 0)
        throw new Error(
          `no matching answer in ${milliseconds} ms; ${this.answers.length} answers, errors: ${JSON.stringify(this.errors.map(String))}`,
        );
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, left);
        this.waiting.push(() => {
          clearTimeout(timer);
          resolve();
        });
      });
    }
  }

  async dispose(): Promise<void> {
    await this.disposer();
  }
}
