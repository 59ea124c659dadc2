import { type Client, DatabaseError } from "pg";

/** Every advisory lock of the kit, in the order in which they are taken (no deadlocks). Migrations use 7241865325823964. */
export const advisoryLocks = {
  /** On the server, in the database postgres: one migrate job at a time, because roles belong to the server. */
  job: "7241865325823963",
  /** Pruning. */
  maintenance: "7241865325823968",
  /** A turn: publishing a load, a detection, one partition's exchange. */
  turn: "7241865325823966",
  /** Creating and dropping partitions; routing.ensure_partitions takes it too. */
  partitions: "7241865325823965",
  /** Positions of updates: triggers take it before a transaction's first row and hold it until the commit. */
  updatePositions: "7241865325823969",
  /** Positions of hijacks: triggers take it within the commit. */
  hijackPositions: "7241865325823970",
} as const;

/** Runs `work` in its own transaction and turn, unless another session has the turn. */
export async function inFreeTurn(client: Client, work: () => Promise<void>): Promise<void> {
  await client.query("begin");
  try {
    const { rows } = await client.query<{ free: boolean }>("select pg_try_advisory_xact_lock($1) as free", [
      advisoryLocks.turn,
    ]);
    if (rows[0]?.free === true) await work();
    await client.query("commit");
  } catch (error) {
    await client.query("rollback").catch(() => {}); // the connection may have failed
    throw error;
  }
}

/** deadlock_detected and serialization_failure: Postgres ended a transaction for another one, and it may succeed if it is repeated. */
const endedForAnother: ReadonlySet<string | undefined> = new Set(["40P01", "40001"]);

const attempts = 5;

/**
 * Runs `work` in its own transaction while no other load or detection runs, so that detection sees whole updates. A statement of an operator may
 * lock the same rows in another order: if Postgres ends this transaction, `work` runs again, up to five times.
 */
export async function inTurn<T>(client: Client, work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await inOneTurn(client, work);
    } catch (error) {
      if (!(error instanceof DatabaseError) || !endedForAnother.has(error.code) || attempt === attempts) throw error;
    }
  }
}

async function inOneTurn<T>(client: Client, work: () => Promise<T>): Promise<T> {
  await client.query("begin; set local lock_timeout = '0'");
  try {
    await client.query("select pg_advisory_xact_lock($1)", [advisoryLocks.turn]);
    await client.query("set local lock_timeout to default");
    const result = await work();
    await client.query("commit");
    return result;
  } catch (error) {
    await client.query("rollback").catch(() => {}); // the connection may have failed
    throw error;
  }
}
