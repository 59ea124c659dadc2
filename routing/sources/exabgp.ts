import { connect, type Socket } from "node:net";
import { parseExabgp } from "../formats/exabgp.ts";
import { lines } from "../formats/lines.ts";
import { PathIdentifiers } from "../formats/path-identifiers.ts";
import { Backoff } from "./backoff.ts";
import type { LiveListener, LiveSource } from "./live-source.ts";

/** Where a process of exabgp listens and offers its lines, such as `socat -u STDIN TCP-LISTEN:5000,reuseaddr`. */
export interface ExabgpAddress {
  readonly host: string;
  readonly port: number;
}

/** Milliseconds. */
export interface ExabgpIntervals {
  /** Between two signs of a standing connection. */
  readonly beat: number;
  /** Silence after which a connection with keepalives is lost: the usual hold time of BGP. */
  readonly silence: number;
  readonly least: number;
  readonly most: number;
}
const intervals: ExabgpIntervals = { beat: 5_000, silence: 180_000, least: 1_000, most: 60_000 };
/** Routers whose messages are counted. */
const mostNeighbours = 10_000;
/** After so many updates without a jump, no other process shares the counter. */
const ownUpdates = 10;

/** exabgp has one counter for a router, which the lines of all of its processes increase. */
interface Counter {
  last: number;
  /** Updates since a jump or a new beginning. */
  updates: number;
}

/** JSON lines of exabgp: a connection at a time, for ever. */
export class ExabgpSource implements LiveSource {
  readonly name: string;
  /** Lines come in the order of their time. A machine that is gone is noticed after 13 s: the delay of keep-alives, and ten of them each second. */
  readonly lateness = 15_000;
  private readonly collector: string;
  private readonly address: ExabgpAddress;
  private readonly onProblem: (sentence: string) => void;
  private readonly intervals: ExabgpIntervals;
  private readonly backoff: Backoff;
  private listener: LiveListener | undefined;
  private socket: Socket | undefined;
  private timer: NodeJS.Timeout | undefined;
  private paused = false;
  /** It was paused, and lines may still wait in buffers. */
  private isBehind = false;
  private stopped = false;

  /** @param collector name of the router or of exabgp's machine; `service` of the updates is exabgp|collector */
  constructor(
    collector: string,
    address: ExabgpAddress,
    onProblem: (sentence: string) => void,
    given: Partial<ExabgpIntervals> = {},
  ) {
    this.name = `exabgp-${collector}`;
    this.collector = collector;
    this.address = address;
    this.onProblem = onProblem;
    this.intervals = { ...intervals, ...given };
    this.backoff = new Backoff(this.intervals.least, this.intervals.most);
  }

  start(listener: LiveListener): void {
    this.listener = listener;
    this.stopped = false;
    // The listener before this one may have stopped with a full buffer.
    this.paused = false;
    this.connect();
  }

  pause(): void {
    this.paused = true;
    this.isBehind = true;
  }

  resume(): void {
    this.paused = false;
    this.wake();
  }

  stop(): void {
    this.stopped = true;
    clearTimeout(this.timer);
    this.socket?.destroy();
    this.wake();
  }

  private wake: () => void = () => {};

  private connect(): void {
    const socket = connect({ ...this.address, keepAlive: true, keepAliveInitialDelay: 3_000 });
    this.socket = socket;
    let reason = "connection lost";
    socket.on("error", (error) => this.onProblem(`the connection to exabgp failed: ${error.message}`));
    socket.once("connect", () => {
      this.listener?.connected();
      void this.read(socket, (why) => (reason = why));
    });
    socket.once("close", () => {
      // Its reader may wait until the source is resumed.
      this.wake();
      if (this.stopped || this.socket !== socket) return;
      this.listener?.lost(reason);
      this.timer = setTimeout(() => this.connect(), this.backoff.next());
    });
  }

  private async read(socket: Socket, ends: (reason: string) => void): Promise<void> {
    this.isBehind = this.paused;
    const identifiers = new PathIdentifiers();
    const counters = new Map<string, Counter>();
    let heard = Date.now();
    let hasKeepalives = false;
    const watch = setInterval(() => {
      if (socket.destroyed) return;
      // A port may accept connections although no process stands behind it.
      this.backoff.reset();
      if (this.paused) {
        heard = Date.now();
        return;
      }
      if (Date.now() - heard >= this.intervals.beat) this.isBehind = false;
      // Without keepalives exabgp is silent while there are no updates, and only the connection proves that none is missing.
      if (!hasKeepalives) {
        if (!this.isBehind) this.listener?.alive();
      } else if (Date.now() - heard > this.intervals.silence) {
        ends("silent");
        socket.destroy();
      }
    }, this.intervals.beat);
    try {
      for await (const batch of lines(socket)) {
        heard = Date.now();
        for (const line of batch.lines) hasKeepalives = this.line(line, identifiers, counters) || hasKeepalives;
        while (this.paused && !this.stopped && !socket.destroyed)
          await new Promise<void>((resolve) => (this.wake = resolve));
        if (this.stopped) break;
      }
    } catch {
      // the connection broke, and its close follows
    }
    clearInterval(watch);
    socket.destroy();
  }

  /** @returns whether it is a keepalive */
  private line(line: string, identifiers: PathIdentifiers, counters: Map<string, Counter>): boolean {
    if (line === "") return false;
    const message = parseExabgp(line, `exabgp|${this.collector}`, identifiers);
    const { counter, neighbor, parsed } = message;
    if (counter !== undefined) {
      const known = counters.get(neighbor) ?? { last: counter - 1, updates: 0 };
      const isJump = counter > known.last + 1;
      if (isJump && known.updates >= ownUpdates) this.listener?.skipped("lines of exabgp lost");
      else if (isJump || counter <= known.last) known.updates = 0;
      known.last = counter;
      if (parsed.some((each) => "prefix" in each)) known.updates += 1;
      if (counters.has(neighbor) || counters.size < mostNeighbours) counters.set(neighbor, known);
    }
    this.listener?.message(message);
    const [first] = parsed;
    const isKeepalive = first !== undefined && "skipped" in first && first.skipped === "keepalive";
    if (isKeepalive && !this.isBehind) this.listener?.alive();
    return isKeepalive;
  }
}
