import { setTimeout as sleep } from "node:timers/promises";
import { data, type Caller, headersOf } from "../../e2e/support/clients/graphql.ts";
import { type Feed, subscribeModern } from "../../e2e/support/clients/sockets.ts";

const query =
  "subscription { view_hijacks(where: {hijack_as: {_eq: 64511}}, limit: 4, order_by: {key: asc}) { key prefix ignored } }";

/** A client that subscribes again whenever its socket closes, and checks its messages. */
export class Subscriber {
  private readonly caller: Caller;
  private readonly expected: string;
  private readonly done: Promise<void>;
  private feed: Feed | undefined;
  private seen = 0;
  private stopped = false;

  private constructor(caller: Caller, expected: string) {
    this.caller = caller;
    this.expected = expected;
    this.done = this.loop();
  }

  static async join(caller: Caller): Promise<Subscriber> {
    return new Subscriber(caller, JSON.stringify(await data<object>(query.replace("subscription", "query"), caller)));
  }

  /** Number of replies that differ from those before the fault. */
  get wrong(): number {
    return this.seen + this.wrongIn(this.feed);
  }

  /**
   * Resolves when a new subscription has received the correct reply.
   * @throws {Error} if none has within `bound` milliseconds
   */
  async served(bound: number): Promise<void> {
    const end = performance.now() + bound;
    while (performance.now() < end) {
      const feed = subscribeModern(query, { headers: headersOf(this.caller) });
      const answer = await feed.until(() => true, 3000).catch(() => undefined);
      await feed.dispose();
      if (answer !== undefined && JSON.stringify(answer.value) === this.expected) return;
      await sleep(200);
    }
    throw new Error(`no new subscription was answered within ${bound} ms`);
  }

  async stop(): Promise<void> {
    this.stopped = true;
    await this.feed?.dispose();
    await this.done;
  }

  private async loop(): Promise<void> {
    while (!this.stopped) {
      const feed = subscribeModern(query, { headers: headersOf(this.caller) });
      this.feed = feed;
      // A live query sends only changed results, so a socket sends little and lives long.
      await Promise.race([feed.closing, this.untilStoppedOrFailed(feed)]);
      this.feed = undefined;
      this.seen += this.wrongIn(feed);
      await feed.dispose();
      await sleep(300);
    }
  }

  private wrongIn(feed: Feed | undefined): number {
    return feed?.answers.filter(({ value }) => isData(value) && JSON.stringify(value) !== this.expected).length ?? 0;
  }

  private async untilStoppedOrFailed(feed: Feed): Promise<void> {
    while (!this.stopped && feed.errors.length === 0) await sleep(100);
  }
}

/** An answer with data; the client library passes errors in the same way. */
const isData = (value: unknown): boolean => typeof value === "object" && value !== null && "view_hijacks" in value;
