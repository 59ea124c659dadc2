/** Learns from the database when the tables behind statements change. */
import type { LibpqConfig } from "@routeql/contract/connection/client";
import type { Reads } from "../sql/print.ts";
import { type Hearing, Listener, type ListenerTimes, usualTimes } from "./listener.ts";
import { areUnchanged, type Reading, readingsOf } from "./readings.ts";
import type { ChangeObserver, NoticeFigures, Observation, PolledKind, PolledReason } from "./observation.ts";
import { WatchedTable } from "./watched-table.ts";

export interface NoticesOptions {
  readonly connection: LibpqConfig;
  readonly times?: ListenerTimes;
  /** Called at each change between listening and not, with the reason. */
  readonly onListening?: (lost: string | undefined) => void;
}

/** Notices of one table in one second above which the engine stops to listen for it: each makes commits wait for each other. */
const mostPerSecond = 20;

/** Milliseconds between two looks at the objects after notices that concern everything. */
const relearnPause = 2_000;

class Observed implements Observation {
  readonly reads: Reads;
  readonly key: string;
  readonly observer: ChangeObserver;
  readonly #leave: (observed: Observed) => void;
  reading: Reading | undefined;
  reason: PolledReason | undefined = starting;

  constructor(reads: Reads, observer: ChangeObserver, leave: (observed: Observed) => void) {
    this.reads = reads;
    this.key = JSON.stringify([[...reads.relations.keys()], [...reads.functions.keys()], [...reads.nativeQueries]]);
    this.observer = observer;
    this.#leave = leave;
  }

  get tables(): readonly string[] {
    return (this.reading?.tables ?? []).map(({ name }) => name).toSorted();
  }

  stop(): void {
    this.#leave(this);
  }
}

const starting: PolledReason = { kind: "starting", text: "the engine looks up which tables the statement reads" };

/** One per source. It connects with the first observation. */
export class Notices {
  readonly #options: NoticesOptions;
  readonly #observed = new Set<Observed>();
  readonly #tables = new Map<number, WatchedTable>();
  #listener: Listener | undefined;
  #hearing: Hearing | undefined;
  #lost: string | undefined;
  /** Statements of the connection run in sequence. */
  #work: Promise<void> = Promise.resolve();
  #relearning: NodeJS.Timeout | undefined;
  #received = 0;

  constructor(options: NoticesOptions) {
    this.#options = options;
  }

  observe(reads: Reads, observer: ChangeObserver): Observation {
    const observed = new Observed(reads, observer, () => void this.#observed.delete(observed));
    this.#observed.add(observed);
    this.#listener ??= new Listener({
      connection: this.#options.connection,
      times: this.#options.times ?? usualTimes,
      onUp: (hearing) => this.#up(hearing),
      onDown: (reason) => this.#down(reason),
      onNotice: (payload) => this.#notice(payload),
      onProof: () => this.#enqueue((hearing) => this.#check(hearing)),
    });
    if (this.#hearing === undefined) this.#tell(observed);
    else this.#enqueue((hearing) => this.#learn(hearing)).catch(() => undefined);
    return observed;
  }

  get isListening(): boolean {
    return this.#hearing !== undefined;
  }

  get figures(): NoticeFigures {
    const polled: Partial<Record<PolledKind, number>> = {};
    let noticed = 0;
    for (const { reason } of this.#observed)
      if (reason === undefined) noticed += 1;
      else polled[reason.kind] = (polled[reason.kind] ?? 0) + 1;
    return { listening: this.isListening, received: this.#received, noticed, polled };
  }

  async close(): Promise<void> {
    this.#forget();
    this.#hearing = undefined;
    await this.#listener?.stop();
  }

  async #up(hearing: Hearing): Promise<void> {
    this.#hearing = hearing;
    this.#lost = undefined;
    this.#options.onListening?.(undefined);
    await this.#enqueue((own) => this.#learn(own));
  }

  #down(reason: string): void {
    const isNew = this.#hearing !== undefined || this.#lost === undefined;
    this.#hearing = undefined;
    this.#lost = reason;
    this.#forget();
    if (isNew) this.#options.onListening?.(reason);
    for (const observed of this.#observed) this.#tell(observed);
  }

  #forget(): void {
    clearTimeout(this.#relearning);
    this.#relearning = undefined;
    for (const table of this.#tables.values()) table.stop();
    this.#tables.clear();
    for (const observed of this.#observed) observed.reading = undefined;
  }

  /** Skips work of a connection that is gone. Rejects as the work does; the listener then finds out whether the connection is usable. */
  #enqueue(work: (hearing: Hearing) => Promise<void>): Promise<void> {
    const hearing = this.#hearing;
    const run = async (): Promise<void> => {
      if (hearing !== undefined && hearing === this.#hearing) await work(hearing);
    };
    const done = this.#work.then(run);
    this.#work = done.catch(() => undefined);
    return done;
  }

  /** Looks up all observations without a reading, and listens for their tables. */
  async #learn(hearing: Hearing): Promise<void> {
    const known = new Map<string, Reading>();
    for (const { key, reading } of this.#observed) if (reading !== undefined) known.set(key, reading);
    const asked = new Map<string, Reads>();
    for (const { key, reading, reads } of this.#observed)
      if (reading === undefined && !known.has(key)) asked.set(key, reads);
    if (asked.size > 0) {
      const readings = await readingsOf(hearing, [...asked.values()]);
      if (hearing !== this.#hearing) return;
      for (const [index, key] of [...asked.keys()].entries()) known.set(key, readings[index]!);
    }
    for (const observed of this.#observed) {
      if (observed.reading !== undefined) continue;
      observed.reading = known.get(observed.key);
      this.#tell(observed);
    }
    const wanted = new Map(
      [...this.#observed].flatMap(({ reading }) =>
        reading === undefined || reading.reasons.length > 0 ? [] : reading.tables.map((table) => [table.id, table]),
      ),
    );
    const added = [...wanted.values()].filter(({ id }) => !this.#tables.has(id));
    const tables = added.map(
      (table) =>
        new WatchedTable(
          table,
          (task) => this.#later(task),
          () => this.#tellReaders(table.id),
        ),
    );
    for (const table of tables) this.#tables.set(table.id, table);
    await WatchedTable.listen(hearing, tables);
  }

  /** Work at a table's own time. */
  #later(work: (hearing: Hearing) => Promise<void>): void {
    this.#enqueue(work).catch(() => undefined);
  }

  async #check(hearing: Hearing): Promise<void> {
    const readings = [...this.#observed].flatMap(({ reading }) => reading ?? []);
    if (readings.length > 0 && !(await areUnchanged(hearing, readings))) {
      this.#relearn();
      return;
    }
    const used = new Set(readings.flatMap(({ tables }) => tables.map(({ id }) => id)));
    const unused = [...this.#tables.values()].filter(({ id }) => !used.has(id));
    for (const table of unused) this.#tables.delete(table.id);
    await WatchedTable.leave(hearing, unused);
    await this.#learn(hearing);
  }

  #notice(payload: string): void {
    this.#received += 1;
    if (payload === "*") {
      this.#relearn();
      return;
    }
    for (const table of this.#tables.values()) {
      if (table.name !== payload || !table.hears) continue;
      if (table.count(performance.now()) > mostPerSecond) {
        table.rest();
        continue;
      }
      for (const observed of this.#readersOf(table.id)) observed.observer.changed();
    }
  }

  /** Forgets which tables are read, and looks again. Statements are polled meanwhile. */
  #relearn(): void {
    if (this.#relearning !== undefined) return;
    this.#relearning = setTimeout(() => {
      this.#relearning = undefined;
    }, relearnPause).unref();
    this.#later(async (hearing) => {
      const old = [...this.#tables.values()];
      this.#tables.clear();
      for (const observed of this.#observed) {
        observed.reading = undefined;
        this.#tell(observed);
      }
      await WatchedTable.leave(hearing, old);
      await this.#learn(hearing);
    });
  }

  *#readersOf(id: number): Iterable<Observed> {
    for (const observed of this.#observed)
      if (observed.reading?.tables.some((table) => table.id === id) === true) yield observed;
  }

  #tellReaders(id: number): void {
    for (const observed of this.#readersOf(id)) this.#tell(observed);
  }

  #tell(observed: Observed): void {
    const reason = this.#reasonOf(observed);
    if (reason?.text === observed.reason?.text && reason?.kind === observed.reason?.kind) return;
    observed.reason = reason;
    observed.observer.polled(reason);
  }

  #reasonOf({ reading }: Observed): PolledReason | undefined {
    if (this.#hearing === undefined)
      return this.#lost === undefined
        ? starting
        : { kind: "not-listening", text: `the engine does not listen: ${this.#lost}` };
    if (reading === undefined) return starting;
    const [first] = reading.reasons;
    if (first !== undefined) return { kind: "not-noticeable", text: first };
    for (const { id } of reading.tables) {
      const table = this.#tables.get(id);
      if (table === undefined) return starting;
      if (table.reason !== undefined) return table.reason;
    }
    return undefined;
  }
}
