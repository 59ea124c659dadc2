/** Entries of a live source that the database has not stored yet, in order. */

/** Rows in COPY's text format, at most {@link mostRows} and of one transaction. */
export interface RowsEntry {
  readonly kind: "rows";
  readonly text: StagedText;
  rows: number;
  /** Times of the first and the last row, as texts that compare. */
  first: string;
  last: string;
  /** Days of the rows. */
  readonly days: Set<string>;
  /** Milliseconds since 1970 of the first message's receipt. */
  readonly since: number;
  /** Milliseconds since 1970. */
  provenAt: number;
}

/** Text in blocks: a string of thousands of small ones takes five times its length of memory. */
export class StagedText {
  length = 0;
  private readonly blocks: Buffer[] = [];
  private last = "";

  add(text: string): void {
    this.length += text.length;
    this.last += text;
    if (this.last.length < blockLength) return;
    this.blocks.push(Buffer.from(this.last));
    this.last = "";
  }

  *[Symbol.iterator](): Generator<Buffer | string> {
    yield* this.blocks;
    if (this.last !== "") yield this.last;
  }
}

const blockLength = 8192;

/** Nothing is missing until this moment. */
interface AliveEntry {
  readonly kind: "alive";
  provenAt: number;
}

/** A gap begins, ends, or was found afterwards. */
export type GapEntry =
  | { readonly kind: "gap"; readonly at: number; readonly reason: string }
  | { readonly kind: "end"; readonly at: number }
  | { readonly kind: "found"; readonly at: number; readonly end: number; readonly reason: string };

export type LogEntry = RowsEntry | AliveEntry | GapEntry;

export interface StagedRows {
  readonly text: string;
  readonly count: number;
  readonly timestamp: string;
}

/** Rows of one transaction. */
export const mostRows = 5_000;
/** Milliseconds for which rows wait for more. */
const gathering = 200;
/** Bytes that each gap counts for. */
const gapBytes = 256;

/** An ordered, bounded list. One reader takes entries from its head, and removes each when it is stored. */
export class LiveLog {
  bytes = 0;
  private entries: LogEntry[] = [];
  private closed = false;
  private wake: () => void = () => {};
  private readonly mostBytes: number;
  private readonly onPressure: (full: boolean) => void;
  private full = false;

  /** @param onPressure called with true when the log is full, and with false when half of it is free again */
  constructor(mostBytes: number, onPressure: (full: boolean) => void) {
    this.mostBytes = mostBytes;
    this.onPressure = onPressure;
  }

  get isFull(): boolean {
    return this.full;
  }

  get isEmpty(): boolean {
    return this.entries.length === 0;
  }

  /** Closed, and all of it is stored. */
  get isEnded(): boolean {
    return this.closed && this.isEmpty;
  }

  /** @param provenAt until when nothing was missing before these rows */
  addRows({ text, count, timestamp }: StagedRows, now: number, provenAt = now): void {
    const last = this.entries.at(-1);
    // The reader may be storing the head.
    if (last?.kind === "rows" && last !== this.taken && last.rows + count <= mostRows) {
      last.text.add(text);
      last.rows += count;
      if (timestamp < last.first) last.first = timestamp;
      if (timestamp > last.last) last.last = timestamp;
      last.days.add(timestamp.slice(0, 10));
      last.provenAt = provenAt;
    } else {
      const rows = new StagedText();
      rows.add(text);
      this.entries.push({
        kind: "rows",
        text: rows,
        rows: count,
        first: timestamp,
        last: timestamp,
        days: new Set([timestamp.slice(0, 10)]),
        since: now,
        provenAt,
      });
    }
    this.grow(text.length);
  }

  /** Nothing is missing until `now`. */
  prove(now: number): void {
    const last = this.entries.at(-1);
    if ((last?.kind === "rows" || last?.kind === "alive") && last !== this.taken) last.provenAt = now;
    else this.entries.push({ kind: "alive", provenAt: now });
    this.wake();
  }

  add(entry: GapEntry): void {
    this.entries.push(entry);
    this.grow(gapBytes);
  }

  private grow(bytes: number): void {
    this.bytes += bytes;
    if (!this.full && this.bytes > this.mostBytes) {
      this.full = true;
      this.onPressure(true);
    }
    this.wake();
  }

  private taken: LogEntry | undefined;

  /** The first entry, when it is worth a transaction; undefined when the log is closed and empty, or `signal` ends the wait. */
  async head(signal: AbortSignal): Promise<LogEntry | undefined> {
    while (!signal.aborted) {
      const [head] = this.entries;
      if (head === undefined && this.closed) return undefined;
      const wait =
        head === undefined
          ? undefined
          : head.kind !== "rows" || this.closed || this.entries.length > 1 || head.rows >= mostRows
            ? 0
            : head.since + gathering - Date.now();
      if (head !== undefined && wait !== undefined && wait <= 0) {
        this.taken = head;
        return head;
      }
      await this.change(wait, signal);
    }
    return undefined;
  }

  /** Removes the head, which is stored. */
  removeHead(): void {
    const head = this.entries.shift();
    this.taken = undefined;
    if (head === undefined) return;
    if (head.kind === "rows") this.bytes -= head.text.length;
    else if (head.kind !== "alive") this.bytes -= gapBytes;
    if (this.full && this.bytes < this.mostBytes / 2) {
      this.full = false;
      this.onPressure(false);
    }
  }

  /** Nothing more is added; the reader stores the rest. */
  close(): void {
    this.closed = true;
    this.wake();
  }

  private change(milliseconds: number | undefined, signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const timer = milliseconds === undefined ? undefined : setTimeout(() => this.wake(), milliseconds);
      const aborted = (): void => this.wake();
      signal.addEventListener("abort", aborted, { once: true });
      this.wake = () => {
        clearTimeout(timer);
        signal.removeEventListener("abort", aborted);
        this.wake = () => {};
        resolve();
      };
    });
  }
}
