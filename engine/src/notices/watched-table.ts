import type { Hearing } from "./listener.ts";
import type { PolledReason } from "./observation.ts";

/** Shortest and longest rest of a table whose notices flood, in milliseconds. */
const [shortestRest, longestRest] = [2_000, 16_000];

/** Milliseconds between two looks for transactions that were writing when the engine began to listen. */
const glance = 200;

/** Runs statements of the listening connection in sequence with others. */
type Later = (work: (hearing: Hearing) => Promise<void>) => void;

type State = "new" | "settling" | "on" | "off";

/**
 * A table that the engine listens for. Writers send notices only meanwhile, so one that wrote before and commits afterwards sends none: the
 * table counts as noticed when all transactions have ended that were writing to it when the engine began.
 */
export class WatchedTable {
  /** `pg_class.oid` */
  readonly id: number;
  /** As notices have it. */
  readonly name: string;
  readonly #later: Later;
  readonly #onState: () => void;
  #state: State = "new";
  #isGone = false;
  /** When the engine began to listen. With constant writers, notices flood before the table counts as noticed. */
  #since = 0;
  #rest = shortestRest;
  #timer: NodeJS.Timeout | undefined;
  #second = 0;
  #inSecond = 0;

  constructor({ id, name }: Pick<WatchedTable, "id" | "name">, later: Later, onState: () => void) {
    this.id = id;
    this.name = name;
    this.#later = later;
    this.#onState = onState;
  }

  /** Begins to listen for tables. */
  static async listen(hearing: Hearing, tables: readonly WatchedTable[]): Promise<void> {
    const wanted = tables.filter((table) => !table.#isGone);
    if (wanted.length === 0) return;
    await write(hearing, "start_listening", wanted);
    for (const table of wanted) {
      table.#since = performance.now();
      table.#inSecond = 0;
    }
    const writing = await writersOf(hearing, wanted);
    for (const table of wanted) table.#settle(writing.get(table.id) ?? new Set());
  }

  /** Ends it. The tables are not used any more. */
  static async leave(hearing: Hearing, tables: readonly WatchedTable[]): Promise<void> {
    const listening = tables.filter(({ hears }) => hears);
    for (const table of tables) table.stop();
    if (listening.length > 0) await write(hearing, "stop_listening", listening);
  }

  get hears(): boolean {
    return this.#state === "settling" || this.#state === "on";
  }

  get #isSettling(): boolean {
    return this.#state === "settling";
  }

  get reason(): PolledReason | undefined {
    if (this.#state === "on") return undefined;
    if (this.#state === "new")
      return { kind: "starting", text: `the engine begins to listen for changes of ${this.name}` };
    if (this.#state === "settling")
      return {
        kind: "starting",
        text: `a transaction still runs that wrote to ${this.name} before the engine listened`,
      };
    return { kind: "too-often", text: `changes of ${this.name} come too often for notices` };
  }

  /** Counts a notice. @returns those of the current second */
  count(now: number): number {
    if (now - this.#second > 1_000) {
      this.#second = now;
      this.#inSecond = 0;
    }
    this.#inSecond += 1;
    return this.#inSecond;
  }

  /** Stops to listen for a while, longer each time that notices flood again soon. */
  rest(): void {
    const soon = performance.now() - this.#since < 2 * shortestRest;
    this.#rest = soon ? Math.min(2 * this.#rest, longestRest) : shortestRest;
    this.#change("off");
    this.#later((hearing) => write(hearing, "stop_listening", [this]));
    this.#in(this.#rest, () => this.#later((hearing) => WatchedTable.listen(hearing, [this])));
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#isGone = true;
    this.#state = "off";
  }

  #settle(writers: ReadonlySet<string>): void {
    if (writers.size === 0) {
      this.#change("on");
      return;
    }
    this.#change("settling");
    this.#in(glance, () =>
      this.#later(async (hearing) => {
        if (!this.#isSettling) return;
        const still = (await writersOf(hearing, [this])).get(this.id) ?? new Set();
        if (!this.#isSettling) return; // notices flooded meanwhile
        this.#settle(writers.intersection(still));
      }),
    );
  }

  #change(state: State): void {
    if (this.#isGone || state === this.#state) return;
    this.#state = state;
    this.#onState();
  }

  #in(milliseconds: number, task: () => void): void {
    if (this.#isGone) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(task, milliseconds).unref();
  }
}

/** Everything else on the connection only reads. */
async function write(
  hearing: Hearing,
  change: "start_listening" | "stop_listening",
  tables: readonly WatchedTable[],
): Promise<void> {
  const ids = tables.map(({ id }) => id).join();
  await hearing.query(`BEGIN READ WRITE; SELECT public.${change}('{${ids}}'); COMMIT`);
}

/** Running transactions that have written, by table. */
async function writersOf(
  hearing: Hearing,
  tables: readonly WatchedTable[],
): Promise<ReadonlyMap<number, ReadonlySet<string>>> {
  const { rows } = await hearing.query<{ relation: string; writer: string }>(
    `SELECT relation::text, virtualtransaction AS writer FROM pg_locks
     WHERE locktype = 'relation' AND granted AND mode IN ('RowExclusiveLock', 'AccessExclusiveLock') AND relation = ANY ($1::oid[])
       AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`,
    [tables.map(({ id }) => id)],
  );
  const found = new Map<number, Set<string>>();
  for (const { relation, writer } of rows) {
    const writers = found.get(Number(relation)) ?? new Set();
    writers.add(writer);
    found.set(Number(relation), writers);
  }
  return found;
}
