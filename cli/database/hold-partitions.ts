import { once } from "node:events";
import { PassThrough } from "node:stream";
import { type Programs, runProgram } from "./programs.ts";

const held = "held";

/** Ends with its input, and the transaction with it. */
const psql = ["psql", "--no-psqlrc", "--quiet", "--no-align", "--tuples-only", "--set=ON_ERROR_STOP=1", "--file=-"];

const hold = `set idle_in_transaction_session_timeout = 0; begin;
select 'lock table routing.bgp_updates in access share mode' where to_regclass('routing.bgp_updates') is not null \\gexec
\\echo ${held}
`;

/**
 * Runs `work` while no partition of the updates goes or takes another one's place: pg_dump lists them first and locks them then, and misses the
 * rows of one that came between, or fails. Queries, loads and new partitions go on.
 * @throws what `work` throws, or Failure when a partition that changes is not done within the role's minute
 */
export async function holdPartitions<T>({ as, signal }: Programs, work: () => Promise<T>): Promise<T> {
  const input = new PassThrough();
  const output = new PassThrough();
  const holding = runProgram({ as, signal }, "backup", psql, { input, output }, "The backup");
  holding.catch(() => undefined);
  try {
    input.write(hold);
    await Promise.race([once(output, "data"), holding]);
    return await work();
  } finally {
    input.end();
    await holding.catch(() => undefined);
  }
}
