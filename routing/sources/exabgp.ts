import { createServer, type Server, type Socket } from "node:net";
import type { Readable } from "node:stream";
import { parseExabgp } from "../formats/exabgp.ts";
import { lines } from "../formats/lines.ts";
import { PathIdentifiers } from "../formats/path-identifiers.ts";
import type { LiveListener, LiveSource } from "./live-source.ts";

/** Where the lines come from: standard input, or connections to a TCP port, such as `exec nc feed 5000` as exabgp's process. */
export type ExabgpInput = { readonly stream: Readable } | { readonly port: number };

/** Milliseconds between two signs of a standing connection. */
const beat = 5_000;
/** Routers whose messages are counted. */
const mostNeighbours = 10_000;

/** JSON lines of exabgp. A new connection replaces the former one, as after a restart of exabgp. */
export class ExabgpSource implements LiveSource {
  readonly name: string;
  /** exabgp writes lines in the order of its own clock. */
  readonly lateness = 0;
  private readonly collector: string;
  private readonly input: ExabgpInput;
  private listener: LiveListener | undefined;
  private server: Server | undefined;
  private stream: Readable | undefined;
  private watch: NodeJS.Timeout | undefined;
  private paused = false;
  private stopped = false;

  /** @param collector name of the router or of exabgp's machine; `service` of the updates is exabgp|collector */
  constructor(collector: string, input: ExabgpInput) {
    this.name = `exabgp-${collector}`;
    this.collector = collector;
    this.input = input;
  }

  /** The port that listens, when the input is one. */
  get port(): number | undefined {
    const address = this.server?.address();
    return typeof address === "object" ? address?.port : undefined;
  }

  start(listener: LiveListener): void {
    this.listener = listener;
    this.stopped = false;
    if ("stream" in this.input) return void this.read(this.input.stream);
    this.server = createServer((socket: Socket) => {
      socket.setKeepAlive(true, 3_000);
      socket.on("error", () => {}); // its end follows
      this.stream?.destroy();
      void this.read(socket);
    }).listen(this.input.port);
  }

  pause(): void {
    this.paused = true;
  }

  resume(): void {
    this.paused = false;
    this.wake();
  }

  stop(): void {
    this.stopped = true;
    clearInterval(this.watch);
    this.server?.close();
    this.stream?.destroy();
    this.wake();
  }

  private wake: () => void = () => {};

  private async read(stream: Readable): Promise<void> {
    this.stream = stream;
    clearInterval(this.watch);
    this.listener?.connected();
    // Without updates exabgp is silent.
    this.watch = setInterval(() => {
      if (!this.paused) this.listener?.alive();
    }, beat);
    const identifiers = new PathIdentifiers();
    const counters = new Map<string, number>();
    try {
      for await (const batch of lines(stream)) {
        for (const line of batch.lines) this.line(line, identifiers, counters);
        while (this.paused && !this.stopped) await new Promise<void>((resolve) => (this.wake = resolve));
        if (this.stopped) return;
      }
    } catch {
      // the connection broke, which is its end
    }
    // Another connection has replaced this one.
    if (this.stream !== stream || this.stopped) return;
    clearInterval(this.watch);
    this.listener?.lost("connection lost");
  }

  private line(line: string, identifiers: PathIdentifiers, counters: Map<string, number>): void {
    if (line === "") return;
    const message = parseExabgp(line, `exabgp|${this.collector}`, identifiers);
    const { counter, neighbor } = message;
    if (counter !== undefined) {
      const before = counters.get(neighbor);
      if (before !== undefined && counter > before + 1) this.listener?.skipped("lines of exabgp lost");
      if (before !== undefined || counters.size < mostNeighbours) counters.set(neighbor, counter);
    }
    this.listener?.message(message);
  }
}
