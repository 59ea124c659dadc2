import { WebSocket } from "ws";
import { parseRisLive } from "../formats/ris-live.ts";
import { Backoff } from "./backoff.ts";
import type { LiveListener, LiveSource } from "./live-source.ts";

export interface RisLiveOptions {
  readonly url: string;
  /** Collectors, such as rrc00; empty for all. */
  readonly collectors: readonly string[];
  /** The prefixes to subscribe to, with all more specific ones; "all" for every update. Called for each connection. */
  readonly prefixes: () => Promise<readonly string[] | "all">;
  readonly onProblem: (sentence: string) => void;
  readonly intervals?: Partial<Intervals>;
}

/** Milliseconds. */
interface Intervals {
  /** Between two subscriptions, so that RIS does not end the connection. */
  readonly subscription: number;
  readonly ping: number;
  /** Without any message for this time, the connection counts as lost. */
  readonly silence: number;
  readonly leastWait: number;
  readonly mostWait: number;
}

const intervals: Intervals = { subscription: 200, ping: 5_000, silence: 30_000, leastWait: 1_000, mostWait: 60_000 };

/** Prefixes of one subscription; each counts as its own. */
const prefixesOfSubscription = 50;
/** Bytes of a message. A BGP message has at most 65,535 bytes, its JSON some times as many. */
const largestMessage = 4_194_304;

/** RIPE RIS Live: a connection at a time, for ever. */
export class RisLiveSource implements LiveSource {
  readonly name = "ris-live";
  /** RIS delivers most updates within a few seconds. */
  readonly lateness = 10_000;
  private readonly options: RisLiveOptions;
  private readonly intervals: Intervals;
  private readonly backoff: Backoff;
  private listener: LiveListener | undefined;
  private socket: WebSocket | undefined;
  private timer: NodeJS.Timeout | undefined;
  private paused = false;
  /** The connection was paused since it was last known to deliver. */
  private wasPaused = false;
  private resumedAt = 0;
  private stopped = false;

  constructor(options: RisLiveOptions) {
    this.options = options;
    this.intervals = { ...intervals, ...options.intervals };
    this.backoff = new Backoff(this.intervals.leastWait, this.intervals.mostWait);
  }

  start(listener: LiveListener): void {
    this.listener = listener;
    this.stopped = false;
    // The listener before this one may have stopped with a full buffer.
    this.paused = false;
    this.wasPaused = false;
    this.connect();
  }

  pause(): void {
    this.paused = true;
    this.wasPaused = true;
    if (this.socket?.readyState === WebSocket.OPEN) this.socket.pause();
  }

  resume(): void {
    this.paused = false;
    this.resumedAt = Date.now();
    if (this.socket?.readyState === WebSocket.OPEN) this.socket.resume();
  }

  stop(): void {
    this.stopped = true;
    clearTimeout(this.timer);
    this.socket?.terminate();
  }

  private connect(): void {
    const socket = new WebSocket(this.options.url, { maxPayload: largestMessage, handshakeTimeout: 10_000 });
    this.socket = socket;
    let reason = "connection lost";
    let heard = Date.now();
    let watch: NodeJS.Timeout | undefined;
    socket.on("open", () => {
      heard = Date.now();
      if (this.paused) socket.pause();
      watch = setInterval(() => {
        if (this.paused) {
          // The answers wait in the socket's buffers.
          heard = Date.now();
          return;
        }
        if (Date.now() - heard > this.intervals.silence) {
          reason = "silent";
          return socket.terminate();
        }
        socket.send('{"type":"ping","data":null}');
      }, this.intervals.ping);
      this.subscribe(socket).catch((error: unknown) => {
        reason = "no subscription";
        this.options.onProblem(`the subscription failed: ${error instanceof Error ? error.message : String(error)}`);
        socket.terminate();
      });
    });
    socket.on("message", (data: Buffer) => {
      heard = Date.now();
      const message = parseRisLive(data.toString());
      if ("error" in message) {
        // The server ends the connection after the error of a slow reader; other errors concern one subscription.
        reason = /slow|drop|buffer|keep up/i.test(message.error) ? "cut off as a slow reader" : "error of the source";
        this.options.onProblem(`RIS Live answers with an error: ${message.error}`);
      } else if ("answer" in message) {
        // An earlier answer may have waited in the socket's buffers.
        if (!this.paused && Date.now() - this.resumedAt > 2 * this.intervals.ping) this.wasPaused = false;
        if (this.isSubscribed && !this.wasPaused) this.listener?.alive();
      } else this.listener?.message(message);
    });
    socket.on("error", (error) => this.options.onProblem(`the connection to RIS Live failed: ${error.message}`));
    socket.on("close", () => {
      clearInterval(watch);
      if (this.socket !== socket) return;
      this.isSubscribed = false;
      if (this.stopped) return;
      this.listener?.lost(reason === "connection lost" && this.wasPaused ? "buffer full" : reason);
      this.timer = setTimeout(() => this.connect(), this.backoff.next());
    });
  }

  /** Subscribes to prefixes that were configured since the connection began. Removed ones end with it. */
  async refresh(): Promise<void> {
    if (this.socket !== undefined && this.isSubscribed)
      await this.subscribeTo(this.socket, await this.options.prefixes());
  }

  private isSubscribed = false;
  private readonly subscribed = new Set<string>();

  private async subscribe(socket: WebSocket): Promise<void> {
    this.subscribed.clear();
    await this.subscribeTo(socket, await this.options.prefixes());
    if (socket.readyState !== WebSocket.OPEN) return;
    this.isSubscribed = true;
    this.backoff.reset();
    this.listener?.connected();
  }

  private async subscribeTo(socket: WebSocket, wanted: readonly string[] | "all"): Promise<void> {
    const prefixes = wanted === "all" ? ["all"] : wanted;
    const added = prefixes.filter((prefix) => !this.subscribed.has(prefix));
    const collectors = this.options.collectors.length === 0 ? [undefined] : this.options.collectors;
    for (const host of collectors)
      for (const group of inGroups(added)) {
        if (socket.readyState !== WebSocket.OPEN) return;
        const prefix = wanted === "all" ? undefined : group;
        const data = { type: "UPDATE", moreSpecific: true, host, prefix };
        socket.send(JSON.stringify({ type: "ris_subscribe", data }));
        // After the last one too: it takes effect then.
        await new Promise((resolve) => setTimeout(resolve, this.intervals.subscription));
      }
    for (const prefix of added) this.subscribed.add(prefix);
  }
}

function inGroups(prefixes: readonly string[]): string[][] {
  const groups: string[][] = [];
  for (let from = 0; from < prefixes.length; from += prefixesOfSubscription)
    groups.push(prefixes.slice(from, from + prefixesOfSubscription));
  return groups;
}
