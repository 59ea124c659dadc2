import type { BenchDatabase } from "../database.ts";
import type { LoadGenerator, Round } from "../measure/http-load.ts";
import { figure, type Figure, inRounds, ratio } from "../measure/statistics.ts";
import type { Case, Contender } from "./contenders.ts";

/** The load generator, and the processes that answer behind the servers. */
export interface Bench {
  readonly generator: LoadGenerator;
  readonly database: Pick<BenchDatabase, "cpuSeconds">;
}

export interface Rounds {
  readonly rounds: number;
  readonly milliseconds: number;
}

/** Result of one contender for one case; ratios are to the baseline of the same round. */
export interface QueryFigures {
  readonly case: string;
  readonly server: Contender["name"];
  readonly requestsPerSecond: Figure;
  readonly ratio: Figure;
  readonly p50Milliseconds: Figure;
  readonly p99Milliseconds: Figure;
  readonly p99Ratio: Figure;
  /** Processor time of the server's process alone: the stable measure on a machine with other load. */
  readonly cpuMicroseconds: Figure;
  /** Processor time of Postgres. Together with the server's it decides the rate if both share the processors. */
  readonly postgresCpuMicroseconds: Figure;
  readonly residentMegabytes: Figure;
}

interface ServerRound extends Round {
  readonly cpu: number;
  readonly postgresCpu: number;
  readonly resident: number;
}

/** Measures the contenders for one case in alternating rounds; the first one is the baseline. @throws if an answer is not 200 */
export async function measureQueries(
  asked: Case,
  contenders: readonly Contender[],
  bench: Bench,
  { rounds, milliseconds }: Rounds,
): Promise<QueryFigures[]> {
  const measured = await inRounds(contenders, rounds, (contender, isWarmUp) =>
    oneRound(contender, asked, bench, isWarmUp ? milliseconds / 2 : milliseconds),
  );
  return contenders.map(({ name }, index) => {
    const of = (read: (round: ServerRound) => number): Figure => figure(measured[index]!.map(read));
    const ofBaseline = (read: (round: ServerRound) => number): Figure => ratio(measured[index]!, measured[0]!, read);
    return {
      case: asked.name,
      server: name,
      requestsPerSecond: of(({ rate }) => rate),
      ratio: ofBaseline(({ rate }) => rate),
      p50Milliseconds: of(({ p50 }) => p50),
      p99Milliseconds: of(({ p99 }) => p99),
      p99Ratio: ofBaseline(({ p99 }) => p99),
      cpuMicroseconds: of(({ cpu }) => cpu),
      postgresCpuMicroseconds: of(({ postgresCpu }) => postgresCpu),
      residentMegabytes: of(({ resident }) => resident),
    };
  });
}

async function oneRound(
  { name, server, target }: Contender,
  asked: Case,
  { generator, database }: Bench,
  milliseconds: number,
): Promise<ServerRound> {
  const before = server.cpuSeconds();
  const postgresBefore = await database.cpuSeconds();
  const { connections } = asked;
  const round = await generator.round(`${name} failed at ${asked.name}`, target(asked), { connections, milliseconds });
  const perAnswer = (seconds: number): number => (seconds / round.answers) * 1e6;
  return {
    ...round,
    postgresCpu: perAnswer((await database.cpuSeconds()) - postgresBefore),
    cpu: perAnswer(server.cpuSeconds() - before),
    resident: server.residentMegabytes(),
  };
}

/** @throws if a contender's answer has fewer rows than the baseline's */
export async function checkAnswers(asked: Case, contenders: readonly Contender[]): Promise<void> {
  let expected: string | undefined;
  for (const contender of contenders) {
    const { host, port, path, headers, body, bodies = [] } = contender.target(asked);
    const response = await fetch(`http://${host}:${port}${path}`, {
      method: "POST",
      headers: { ...headers, "content-type": "application/json" },
      body: body ?? bodies[0] ?? "",
    });
    const text = await response.text();
    const shape = JSON.stringify(shapeOf(JSON.parse(text)));
    expected ??= shape;
    if (!response.ok || text.includes('"errors"'))
      throw new Error(`${contender.name} answers ${asked.name} with ${text.slice(0, 500)}`);
    if (shape !== expected)
      throw new Error(`${contender.name} answers ${asked.name} with ${shape}, not with ${expected}`);
  }
}

/** Lengths of the lists and the counts in an answer, for any names; lists of values within one row are ignored. */
function shapeOf(answer: unknown): unknown[] {
  if (Array.isArray(answer)) {
    return answer.length > 0 &&
      answer.every((item) => typeof item === "object" && item !== null && !Array.isArray(item))
      ? [answer.length, ...answer.flatMap(shapeOf)]
      : [];
  }
  if (typeof answer !== "object" || answer === null) return [];
  return Object.entries(answer).flatMap(([name, value]) => (name === "count" ? [value] : shapeOf(value)));
}
const columns =
  "prefix origin_as peer_asn as_path service type communities timestamp hijack_key handled matched_prefix orig_path";
const quoted = (names: string): string =>
  names
    .split(" ")
    .map((name) => `"${name}"`)
    .join(", ");

/** The specification's own query with all twelve fields. */
export function newest(rows: number): Case {
  return {
    name: `${rows.toLocaleString("en")} rows`,
    statement: `select '{"view_bgpupdates":' || coalesce(json_agg(u), '[]')::text || '}' as data
      from (select ${quoted(columns)} from view_bgpupdates order by "timestamp" desc limit ${rows}) u`,
    hasura: `query { view_bgpupdates(limit: ${rows}, order_by: {timestamp: desc}) { ${columns} } }`,
    connections: 16,
  };
}

const hijackColumns = "key prefix hijack_as time_last num_peers_seen";
const linkColumns = "timestamp prefix peer_asn type as_path";

const nested: Case = {
  name: "nested",
  statement: `select '{"view_hijacks":' || coalesce(json_agg(h), '[]')::text || '}' as data
    from (select ${quoted(hijackColumns)},
            (select coalesce(json_agg(l), '[]') from (select ${quoted(linkColumns)} from view_bgpupdates_hijacks where hijack_key = h.key limit 10) l) as update_links
          from view_hijacks h order by time_last desc limit 10) h`,
  hasura: `query { view_hijacks(limit: 10, order_by: {time_last: desc}) { ${hijackColumns} update_links(limit: 10) { ${linkColumns} } } }`,
  connections: 16,
};

/** @param prefix one with about a hundred updates */
function aggregate(prefix: string): Case {
  return {
    name: "aggregate",
    statement: `select json_build_object('view_bgpupdates_aggregate', json_build_object('aggregate', json_build_object('count', count(*))))::text as data
      from view_bgpupdates where prefix = '${prefix}'`,
    hasura: `query { view_bgpupdates_aggregate(where: {prefix: {_eq: "${prefix}"}}) { aggregate { count } } }`,
    connections: 16,
  };
}

export function cases(prefix: string): Case[] {
  return [newest(10), newest(1_000), nested, aggregate(prefix)];
}
