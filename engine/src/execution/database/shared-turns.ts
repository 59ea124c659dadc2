import type { Connection, Row, Statement } from "../../postgres/connection.ts";
import { type SourceConnections, Watchdog } from "./source-connections.ts";
import { type Cancellation, unlessAborted } from "../../cancellation.ts";
import type { KnownStatement } from "./known-statements.ts";

/** Statements in one turn: each additional one gains less, and each waits for all. */
const mostTogether = 4;

interface Member {
  readonly client: string;
  readonly statement: Statement;
  readonly known: KnownStatement;
  readonly signal: Cancellation | undefined;
  /** Receives the rows, or undefined if the statement must run alone. */
  readonly resolve: (rows: readonly Row[] | undefined) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Combines quick statements of several requests in one transaction where connections are scarce: both sides then write, wake and read once
 * for all of them. Failures stay isolated: a statement without an answer runs again alone, and a long turn is cancelled.
 */
export class SharedTurns {
  readonly #connections: Pick<SourceConnections, "take" | "use">;
  readonly #watchdog: Watchdog;
  /** Statements waiting for the next connection, up to the limit. */
  #boarding: Member[] = [];
  #joined = 0;

  /** @param patience milliseconds after which a turn is cancelled; it ends before twice that time */
  constructor(connections: Pick<SourceConnections, "take" | "use">, patience: number) {
    this.#connections = connections;
    this.#watchdog = new Watchdog(patience);
  }

  /** Waiting statements without a place of their own in the queue. */
  get joined(): number {
    return this.#joined;
  }

  /** The statement's rows; undefined when it must run alone after a failure of the turn. @throws the signal's reason; a lost connection */
  ask(
    client: string,
    statement: Statement,
    known: KnownStatement,
    signal: Cancellation | undefined,
  ): Promise<readonly Row[] | undefined> {
    const { promise, resolve, reject } = Promise.withResolvers<readonly Row[] | undefined>();
    this.#board({ client, statement, known, signal, resolve, reject });
    return unlessAborted(promise, signal);
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

  /** @param client of the first statement; the turn has its place in the queue */
  async #run(members: Member[], client: string): Promise<void> {
    // Statements of the same event-loop turn can still join, which uses the last free connection best.
    await new Promise(setImmediate);
    this.#joined -= 1;
    // The turn is short, because a long one is cancelled.
    const lease = { client, isExempt: true };
    let connection: Connection;
    try {
      connection = await this.#connections.take(lease);
    } finally {
      if (this.#boarding === members) this.#boarding = [];
      this.#joined -= members.length - 1;
    }
    await this.#connections.use(connection, lease, 0, (cancel) => this.#answer(connection, members, cancel));
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

/** The statement is not shared again until it was quick several times. */
function askAlone({ known, resolve }: Member): void {
  known.failed();
  resolve(undefined);
}
