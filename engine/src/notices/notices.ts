/** Learns from the database when the tables behind statements change. */
import type { Reads } from "../sql/print.ts";
import type { Hearing, Listener, ListenerEvents } from "./listener.ts";
import { areUnchanged, isAnalysed, type NamedObject, objectsOf, type Reading, readingsOf } from "./readings.ts";
import type { ChangeObserver, NoticeFigures, Observation, PolledKind, PolledReason } from "./observation.ts";
import { WatchedTable } from "./watched-table.ts";

export interface NoticesOptions {
  /** Begins to listen, with the first observation. */
  readonly listen: (events: ListenerEvents) => Pick<Listener, "restart" | "stop">;
  /** Called at each change between listening and not, with the reason. */
  readonly onListening?: (lost: string | undefined) => void;
}

/** Notices of one table in one second above which the engine stops to listen for it: each makes commits wait for each other. */
const mostPerSecond = 20;

/** Milliseconds between two looks at the objects after notices that concern everything. */
const relearnPause = 2_000;

interface Observed {
  /** The objects that the statement names, by {@link objectsOf}. */
  readonly objects: ReadonlyMap<string, NamedObject>;
  readonly observer: ChangeObserver;
  /** As the observer knows it. */
  reason: PolledReason | undefined;
}

const starting: PolledReason = { kind: "starting", text: "the engine looks up which tables the statement reads" };

/** One per source. */
export class Notices {
  readonly #options: NoticesOptions;
  readonly #observed = new Set<Observed>();
  /** By object, so that its lookups are bounded by the metadata and not by the statements of clients. */
  readonly #readings = new Map<string, Reading>();
  readonly #tables = new Map<number, WatchedTable>();
  #listener: Pick<Listener, "restart" | "stop"> | undefined;
  #hearing: Hearing | undefined;
  #lost: string | undefined;
  /** Statements of the connection run in sequence. */
  #work: Promise<void> = Promise.resolve();
  #relearning: NodeJS.Timeout | undefined;
  /** A notice came too soon after the last look. */
  #isRelearningAgain = false;
  /** Observations that begin while a lookup waits for its turn share it. */
  #isLearningSoon = false;
  #received = 0;

  constructor(options: NoticesOptions) {
    this.#options = options;
  }

  observe(reads: Reads, observer: ChangeObserver): Observation {
    const observed: Observed = { objects: objectsOf(reads), observer, reason: starting };
    this.#observed.add(observed);
    this.#listener ??= this.#options.listen({
      onUp: (hearing) => this.#up(hearing),
      onDown: (reason) => this.#down(reason),
      onNotice: (payload) => this.#notice(payload),
      onProof: () => this.#enqueue((hearing) => this.#check(hearing)),
    });
    if (this.#hearing === undefined) this.#tell(observed);
    else this.#learnSoon();
    const tables = (): readonly string[] => this.#tablesOf(observed);
    return {
      get reason() {
        return observed.reason;
      },
      get tables() {
        return tables();
      },
      stop: () => void this.#observed.delete(observed),
    };
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
    return { listening: this.isListening, received: this.#received, noticed, polled, unnoticed: this.#unnoticed() };
  }

  #unnoticed(): readonly string[] {
    const names = new Set<string>();
    for (const { objects } of this.#observed)
      for (const [key, { name }] of objects) if ((this.#readings.get(key)?.reasons.length ?? 0) > 0) names.add(name);
    return [...names].toSorted();
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
    this.#isRelearningAgain = false;
    this.#isLearningSoon = false;
    for (const table of this.#tables.values()) table.stop();
    this.#tables.clear();
    this.#readings.clear();
  }

  /** Skips work of a connection that is gone. Rejects as the work does. */
  #enqueue(work: (hearing: Hearing) => Promise<void>): Promise<void> {
    const hearing = this.#hearing;
    const run = async (): Promise<void> => {
      if (hearing !== undefined && hearing === this.#hearing) await work(hearing);
    };
    const done = this.#work.then(run);
    this.#work = done.catch(() => undefined);
    return done;
  }

  #learnSoon(): void {
    if (this.#isLearningSoon) return;
    this.#isLearningSoon = true;
    this.#later((hearing) => {
      this.#isLearningSoon = false;
      return this.#learn(hearing);
    });
  }

  /** Looks up all objects without a reading, and listens for the tables. */
  async #learn(hearing: Hearing): Promise<void> {
    const unknown = new Map<string, Reads>();
    for (const { objects } of this.#observed)
      for (const [key, { reads }] of objects) if (!this.#readings.has(key)) unknown.set(key, reads);
    if (unknown.size > 0) {
      const readings = await readingsOf(hearing, [...unknown.values()]);
      if (hearing !== this.#hearing) return;
      for (const [index, key] of [...unknown.keys()].entries()) this.#readings.set(key, readings[index]!);
    }
    const added = [...this.#noticeableTables()].filter(([id]) => !this.#tables.has(id));
    const tables = added.map(
      ([id, name]) =>
        new WatchedTable(
          { id, name },
          (task) => this.#later(task),
          () => this.#tellReaders(id),
        ),
    );
    for (const observed of this.#observed) if (observed.reason !== undefined) this.#tell(observed);
    for (const table of tables) this.#tables.set(table.id, table);
    await WatchedTable.listen(hearing, tables);
  }

  /** Undefined until all objects are looked up. */
  #readingsOf({ objects }: Observed): readonly Reading[] | undefined {
    const found: Reading[] = [];
    for (const key of objects.keys()) {
      const reading = this.#readings.get(key);
      if (reading === undefined) return undefined;
      found.push(reading);
    }
    return found;
  }

  #tablesOf(observed: Observed): readonly string[] {
    const readings = this.#readingsOf(observed) ?? [];
    return [...new Set(readings.flatMap(({ tables }) => [...tables.values()]))].toSorted();
  }

  /** The tables of statements that can run after notices. Writers of all others need not send any. */
  #noticeableTables(): ReadonlyMap<number, string> {
    const noticeable = new Set<Reading>();
    for (const observed of this.#observed) {
      const readings = this.#readingsOf(observed);
      if (readings?.every(({ reasons }) => reasons.length === 0) !== true) continue;
      for (const reading of readings) noticeable.add(reading);
    }
    return new Map([...noticeable].flatMap(({ tables }) => [...tables]));
  }

  /** Work at a table's own time. After a failure the listener connects again; the table would stay polled otherwise. */
  #later(work: (hearing: Hearing) => Promise<void>): void {
    const hearing = this.#hearing;
    this.#enqueue(work).catch((error: unknown) => {
      if (hearing === this.#hearing) this.#listener?.restart(error);
    });
  }

  async #check(hearing: Hearing): Promise<void> {
    const used = new Set([...this.#observed].flatMap(({ objects }) => [...objects.keys()]));
    for (const key of this.#readings.keys()) if (!used.has(key)) this.#readings.delete(key);
    const isUnchanged = await areUnchanged(hearing, [...this.#readings.values()]);
    if (hearing !== this.#hearing) return;
    if (!isUnchanged) {
      this.#relearn();
      return;
    }
    // An object that was missing may exist now.
    for (const [key, reading] of this.#readings) if (!isAnalysed(reading)) this.#readings.delete(key);
    const noticeable = this.#noticeableTables();
    const unused = [...this.#tables.values()].filter(({ id }) => !noticeable.has(id));
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

  /** Forgets which tables are read, and looks again, at most once in the pause. Statements are polled meanwhile. */
  #relearn(): void {
    if (this.#relearning !== undefined) {
      this.#isRelearningAgain = true;
      return;
    }
    this.#relearning = setTimeout(() => {
      this.#relearning = undefined;
      if (this.#isRelearningAgain) this.#relearn();
    }, relearnPause).unref();
    this.#isRelearningAgain = false;
    this.#later(async (hearing) => {
      const old = [...this.#tables.values()];
      this.#tables.clear();
      this.#readings.clear();
      for (const observed of this.#observed) this.#tell(observed);
      await WatchedTable.leave(hearing, old);
      await this.#learn(hearing);
    });
  }

  *#readersOf(id: number): Iterable<Observed> {
    const readers = [...this.#readings].filter(([, { tables }]) => tables.has(id)).map(([key]) => key);
    for (const observed of this.#observed) if (readers.some((key) => observed.objects.has(key))) yield observed;
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

  #reasonOf(observed: Observed): PolledReason | undefined {
    if (this.#hearing === undefined)
      return this.#lost === undefined
        ? starting
        : { kind: "not-listening", text: `the engine does not listen: ${this.#lost}` };
    const readings = this.#readingsOf(observed);
    if (readings === undefined) return starting;
    const [first] = readings.flatMap(({ reasons }) => reasons);
    if (first !== undefined) return { kind: "not-noticeable", text: first };
    for (const { tables } of readings)
      for (const id of tables.keys()) {
        const table = this.#tables.get(id);
        if (table === undefined) return starting;
        if (table.reason !== undefined) return table.reason;
      }
    return undefined;
  }
}
