import { demoMember } from "@routeql/routing/sources/demo";
import { loadInput } from "@routeql/routing/batches/load-input";
import type { StartedDatabaseContainer } from "@routeql/tests/harness/containers/database-container";
import { BenchDatabase } from "../database.ts";
import { figure, type Figure, inRounds, ratio } from "../measure/statistics.ts";
import { type Columns, spread, machineNow, table, writeResults } from "../report.ts";

interface Round {
  readonly rate: number;
  /** Processor time of Postgres for a row or a read. */
  readonly cpuMicroseconds: number;
}

interface Row {
  readonly part: string;
  readonly work: string;
  readonly perSecond: Figure;
  readonly cpuMicroseconds: Figure;
  /** Processor time in relation to the first row of the part. */
  readonly cpuRatio: Figure;
}

const sizes = {
  full: { rounds: 5, rows: 500_000, rowsOfMonth: 20_000, reads: 20 },
  quick: { rounds: 3, rows: 100_000, rowsOfMonth: 2_000, reads: 5 },
};
const cursors = 100;

/** `npm run bench:positions`: a load with and without positions; readers of the log beside readers by time. @returns the path of the results */
export async function benchPositions({ quick }: { readonly quick: boolean }): Promise<string> {
  const size = quick ? sizes.quick : sizes.full;
  await using bench = await BenchDatabase.start();
  const rows = [...(await benchLoad(bench, size))];
  for (const months of [28, 120]) rows.push(...(await benchCursors(bench, months, size)));
  console.log(table(rows, columns));
  return writeResults("positions", { ...machineNow(quick), rows });
}

const columns: Columns<Row> = {
  part: ({ part }) => part,
  work: ({ work }) => work,
  "per second": ({ perSecond }) => spread(perSecond),
  "CPU µs": ({ cpuMicroseconds }) => spread(cpuMicroseconds),
  "CPU of the first": ({ cpuRatio }) => spread(cpuRatio),
};

function compare(part: string, works: readonly string[], measured: readonly Round[][]): Row[] {
  return works.map((work, index) => ({
    part,
    work,
    perSecond: figure(measured[index]!.map(({ rate }) => rate)),
    cpuMicroseconds: figure(measured[index]!.map(({ cpuMicroseconds }) => cpuMicroseconds)),
    cpuRatio: ratio(measured[index]!, measured[0]!, ({ cpuMicroseconds }) => cpuMicroseconds),
  }));
}

async function measured(bench: BenchDatabase, count: number, work: () => Promise<unknown>): Promise<Round> {
  const [began, cpu] = [performance.now(), await bench.cpuSeconds()];
  await work();
  const used = (await bench.cpuSeconds()) - cpu;
  return { rate: count / ((performance.now() - began) / 1000), cpuMicroseconds: (used * 1e6) / count };
}

const without = `alter table routing.bgp_updates disable trigger log_opened, disable trigger position_given, alter column position drop default;
  drop index if exists routing.bgp_updates_position`;
const withPositions = `alter table routing.bgp_updates enable trigger log_opened, enable trigger position_given,
    alter column position set default nextval('routing.update_positions');
  create index if not exists bgp_updates_position on routing.bgp_updates (position)`;

async function benchLoad(bench: BenchDatabase, { rounds, rows }: (typeof sizes)["full"]): Promise<Row[]> {
  const works = { "without positions": without, "with positions": withPositions };
  const results = await inRounds(Object.values(works), rounds, async (schema) => {
    await using owner = await bench.container.connect("owner");
    await dropMonths(bench.container);
    await owner.query(schema);
    return measured(bench, rows, () => load(bench.container, rows, Date.parse("2026-01-01T00:00:00Z")));
  });
  await using owner = await bench.container.connect("owner");
  await owner.query(withPositions);
  return compare("load", Object.keys(works), results);
}

async function benchCursors(
  bench: BenchDatabase,
  months: number,
  { rounds, rowsOfMonth, reads }: (typeof sizes)["full"],
): Promise<Row[]> {
  await dropMonths(bench.container);
  for (let month = 0; month < months; month++) {
    const start = Date.UTC(2016, month, 1);
    await load(bench.container, rowsOfMonth, start);
  }
  await using owner = await bench.container.connect("bootstrap");
  await owner.query("vacuum analyze routing.bgp_updates");
  const columnsRead = `prefix, origin_as, peer_asn, as_path, service, type, "timestamp"`;
  const statements = {
    "by time": `select ${columnsRead} from view_bgpupdates where "timestamp" > $1 order by "timestamp" limit 100`,
    "by position": `select ${columnsRead}, position, generation from view_bgpupdates_log where position > $1 order by position limit 100`,
  };
  const ends = `select max("timestamp")::text as time, max(position)::text as position from routing.bgp_updates`;
  const [end] = (await owner.query<{ time: string; position: string }>(ends)).rows;
  await using reader = await bench.container.connect("engine");
  const results = await inRounds(Object.entries(statements), rounds, ([name, text]) =>
    measured(bench, cursors * reads, async () => {
      // Readers that wait for new rows: nearly all polls of a subscription.
      const value = name === "by time" ? end!.time : end!.position;
      for (let read = 0; read < cursors * reads; read++) await reader.query({ name, text, values: [value] });
    }),
  );
  return compare(`${cursors} readers, ${months} months`, Object.keys(statements), results);
}

async function load(database: StartedDatabaseContainer, count: number, start: number): Promise<void> {
  await using client = await database.connect("loader");
  await loadInput(
    client,
    (async function* () {
      yield demoMember({ count, seed: 1, start });
    })(),
  );
}

async function dropMonths(database: StartedDatabaseContainer): Promise<void> {
  await using owner = await database.connect("owner");
  await owner.query(`do $$ declare month regclass; begin
    for month in select inhrelid from pg_inherits where inhparent = 'routing.bgp_updates'::regclass loop execute 'drop table ' || month; end loop;
  end $$`);
}
