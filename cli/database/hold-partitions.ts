import { once } from "node:events";
import { PassThrough } from "node:stream";
import { type Programs, runProgram } from "./programs.ts";

const held = "held";

/** Ends with its input, which also ends the transaction. */
const psql = ["psql", "--no-psqlrc", "--quiet", "--no-align", "--tuples-only", "--set=ON_ERROR_STOP=1", "--file=-"];

const hold = `set idle_in_transaction_session_timeout = 0; begin;
select 'lock table routing.bgp_updates in access share mode' where to_regclass('routing.bgp_updates') is not null \\gexec
\\echo ${held}
`;

/**
 * Runs `work` while no partition of the updates is dropped or replaced. pg_dump lists the partitions first and locks them later: without
 * this lock it would fail, or miss the rows of a partition created in between. Queries, loads and new partitions continue.
 * @throws any error of `work`, or Failure when a partition change does not finish within the role's limit of one minute
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
