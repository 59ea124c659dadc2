import type { Connection, Row, Statement } from "../postgres/connection.ts";
import { Watchdog } from "../postgres/watchdog.ts";
import type { Cancellation } from "../cancellation.ts";
import type { KnownStatement } from "./known-statements.ts";
import type { SourceConnections } from "./source-connections.ts";

/** Statements in one turn: each more brings less, and all wait for all. */
const mostTogether = 4;

interface Member {
  readonly client: string;
  readonly statement: Statement;
  readonly known: KnownStatement;
  readonly signal: Cancellation | undefined;
  /** Told the rows, or that the statement has to be asked alone. */
  readonly resolve: (rows: readonly Row[] | undefined) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Lets quick statements go together where connections are scarce: both sides then write, wake and read once for all of them, and
 * Postgres begins and ends one transaction. Whatever goes wrong, nobody suffers from his neighbours: who got no answer is
 * told to ask alone, and a turn that takes long is cancelled.
 */
export class SharedTurns {
  readonly #connections: Pick<SourceConnections, "take" | "use">;
  readonly #watchdog: Watchdog;
  /** Those who wait for the next connection, while there is room. */
  #boarding: Member[] = [];
  #joined = 0;

  /** @param patience milliseconds after which a turn is given up; before twice as many are over it has ended */
  constructor(connections: Pick<SourceConnections, "take" | "use">, patience: number) {
    this.#connections = connections;
    this.#watchdog = new Watchdog(patience);
  }

  /** Statements that wait without a place of their own in the line. */
  get joined(): number {
    return this.#joined;
  }

  /**
   * The statement's rows; undefined when it has to be asked alone, as something went wrong on the way.
   * @throws the signal's reason as soon as it aborts; the error that ended the connection
   */
  async ask(client: string, statement: Statement, known: KnownStatement, signal: Cancellation | undefined): Promise<readonly Row[] | undefined> {
    const { promise, resolve, reject } = Promise.withResolvers<readonly Row[] | undefined>();
    const leave = (): void => reject(signal?.reason);
    signal?.addEventListener("abort", leave);
    this.#board({ client, statement, known, signal, resolve, reject });
    try {
      return await promise;
    } finally {
      signal?.removeEventListener("abort", leave);
    }
  }

  #board(member: Member): void {
    this.#joined += 1;
    if (this.#boarding.length > 0 && this.#boarding.length < mostTogether) {
      this.#boarding.push(member);
      return;
    }
    const members = [member];
    this.#boarding = members;
    this.#run(members, member.client).catch((error: unknown) => {
      for (const { reject } of members) reject(error);
    });
  }

  /** @param client who asked first; the turn has its place in the line */
  async #run(members: Member[], client: string): Promise<void> {
    // Whoever asks in the same turn of the event loop can come along, which makes the most of the last free connection.
    await new Promise(setImmediate);
    this.#joined -= 1;
    // The turn is brief, as it is cancelled when it is not.
    const claim = { client, isExempt: true };
    let connection: Connection;
    try {
      connection = await this.#connections.take(claim);
    } finally {
      if (this.#boarding === members) this.#boarding = [];
      this.#joined -= members.length - 1;
    }
    await this.#connections.use(connection, claim, 0, (cancel) => this.#answer(connection, members, cancel));
  }

  async #answer(connection: Connection, all: readonly Member[], cancel: () => void): Promise<void> {
    const members = all.filter(({ signal }) => signal?.aborted !== true);
    if (members.length === 0) return;
    const turn = {
      abandon: () => {
        for (const member of members) askAlone(member);
        cancel();
      },
    };
    this.#watchdog.watch(turn);
    const start = performance.now();
    try {
      const { finished, error } = await connection.queryAll(members.map(({ statement }) => statement));
      const each = (performance.now() - start) / members.length;
      for (const [index, rows] of finished.entries()) {
        members[index]?.known.ran(each);
        members[index]?.resolve(rows);
      }
      if (error === undefined) return;
      const [failed, ...notRun] = members.slice(finished.length);
      if (failed !== undefined) askAlone(failed);
      for (const { resolve } of notRun) resolve(undefined);
      throw error;
    } finally {
      this.#watchdog.release(turn);
    }
  }
}

/** Not to be shared again before it was quick some times. */
function askAlone({ known, resolve }: Member): void {
  known.failed();
  resolve(undefined);
}
