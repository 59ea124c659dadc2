import { setTimeout as sleep } from "node:timers/promises";
import { post, type Caller } from "../../e2e/support/clients/graphql.ts";
import { send } from "./carriers.ts";
import { randomBelow } from "../../harness/random.ts";
import { anyGenes, mutated, type Genes } from "./grammar.ts";
import { idleUsageOf, percentile, shareBetween, startsOf, usagesOf } from "./measure.ts";

/** Cost of one request. */
export interface Cost {
  readonly genes: Genes;
  readonly bytes: number;
  /** Processor time of engine and Postgres in milliseconds, until both are idle again; without that for the bystander. */
  readonly engine: number;
  readonly postgres: number;
  /** Memory growth of the engine in MiB. */
  readonly memory: number;
  /** Longest response time of the bystander meanwhile, in milliseconds. */
  readonly bystander: number;
}

export interface Found {
  readonly tried: number;
  /** The most expensive requests by each measure, the worst first. */
  readonly worst: Readonly<Record<"engine" | "postgres" | "memory" | "bystander" | "perByte", readonly Cost[]>>;
  /** 99th percentile of the bystander's response time, in milliseconds. */
  readonly p99: number;
  /** Every reply to the bystander without data. */
  readonly errors: readonly string[];
  /** Names of restarted services. */
  readonly restarted: readonly string[];
  /** Services that still work after the last request, by the processors that they use beyond those at the beginning. */
  readonly busy: Readonly<Record<string, number>>;
}

export interface SearchOptions {
  readonly milliseconds: number;
  readonly seed: number;
  readonly hostile: () => Promise<string>;
  readonly bystander: () => Promise<Caller>;
  readonly onWorse?: (measure: string, cost: Cost) => void;
}

const services = ["engine", "database", "gateway", "auth-sidecar"] as const;
/** The engine's time beyond reading, for which a MiB may cost 200 ms: a socket may send any number of bytes. */
export const beyondReading = ({ engine, bytes }: Cost): number => engine - (bytes / 2 ** 20) * 200;
const measures = {
  engine: beyondReading,
  postgres: (cost: Cost) => cost.postgres,
  memory: (cost: Cost) => cost.memory,
  bystander: (cost: Cost) => cost.bystander,
  perByte: (cost: Cost) => (cost.engine + cost.postgres) / Math.max(cost.bytes, 100),
} as const;
type Measure = keyof typeof measures;

/** Number of requests that are kept per measure, for further mutation. */
const kept = 8;

/**
 * Searches for the most expensive requests for the given time: half of them are new, half are mutations of the worst so far. Meanwhile a
 * bystander requests one row ten times per second.
 */
export async function search({ milliseconds, seed, hostile, bystander, onWorse }: SearchOptions): Promise<Found> {
  const choose = randomBelow(seed);
  const worst: Record<Measure, Cost[]> = { engine: [], postgres: [], memory: [], bystander: [], perByte: [] };
  const before = await Promise.all(services.map(startsOf));
  const watch = watchBystander(bystander);
  const until = performance.now() + milliseconds;
  let tried = 0;
  const shares = await idleShares();
  let idle = await usagesOf(measured);
  while (performance.now() < until) {
    const measure = (Object.keys(measures) as Measure[])[choose(5)] ?? "engine";
    const parent = worst[measure][choose(Math.max(1, worst[measure].length))];
    const genes = parent === undefined || choose(2) === 0 ? anyGenes(choose) : mutated(parent.genes, choose);
    const { cost, after } = await costOf(genes, await hostile(), { watch, before: idle, shares });
    idle = after;
    tried += 1;
    for (const name of Object.keys(measures) as Measure[]) {
      const of = measures[name];
      const list = worst[name];
      if (list[0] === undefined || of(cost) > of(list[0])) onWorse?.(name, cost);
      list.push(cost);
      list.sort((one, other) => of(other) - of(one));
      list.splice(kept);
    }
  }
  const left = await idleShares();
  const busy = measured
    .map((service) => [service, left[service] - shares[service]] as const)
    .filter(([, share]) => share > leftShare);
  const { p99, errors } = await watch.end();
  const after = await Promise.all(services.map(startsOf));
  return {
    tried,
    worst,
    p99,
    errors,
    restarted: services.filter((_service, index) => before[index] !== after[index]),
    busy: Object.fromEntries(busy),
  };
}

const measured = ["engine", "database"] as const;
type Usages = Awaited<ReturnType<typeof idleUsageOf<(typeof measured)[number]>>>;
/** Processors that each service uses for the bystander alone. */
type Shares = Readonly<Record<(typeof measured)[number], number>>;

/** A request that ended leaves no work behind, such as a subscription. Fraction of a processor. */
const leftShare = 0.05;

async function idleShares(): Promise<Shares> {
  const begin = await idleUsageOf(measured);
  await sleep(5_000);
  const end = await usagesOf(measured);
  return Object.fromEntries(measured.map((service) => [service, shareBetween(begin[service], end[service])])) as Shares;
}

interface Idle {
  readonly watch: Watch;
  /** Usage of the idle services. */
  readonly before: Usages;
  readonly shares: Shares;
}

async function costOf(
  genes: Genes,
  token: string,
  { watch, before, shares }: Idle,
): Promise<{ cost: Cost; after: Usages }> {
  watch.begin();
  const bytes = await send(genes, token);
  // Collected garbage would hide the memory that the request needed.
  const sent = await usagesOf(measured);
  const after = await idleUsageOf(measured);
  const processor = (service: (typeof measured)[number]): number => {
    const [from, to] = [before[service], after[service]];
    return Math.max(0, Math.round(to.processor - from.processor - shares[service] * (to.at - from.at)));
  };
  const cost = {
    genes,
    bytes,
    engine: processor("engine"),
    postgres: processor("database"),
    memory: Math.round(sent.engine.memory - before.engine.memory),
    bystander: watch.longest(),
  };
  return { cost, after };
}

interface Watch {
  begin(): void;
  longest(): number;
  end(): Promise<{ readonly p99: number; readonly errors: readonly string[] }>;
}

function watchBystander(caller: () => Promise<Caller>): Watch {
  const times: number[] = [];
  const errors: string[] = [];
  const asked: Promise<void>[] = [];
  let longest = 0;
  const ask = async (): Promise<void> => {
    const who = await caller();
    const begin = performance.now();
    const { status, text } = await post("{ view_hijacks(limit: 1) { key } }", who);
    const taken = performance.now() - begin;
    times.push(taken);
    longest = Math.max(longest, Math.round(taken));
    if (status !== 200 || !text.startsWith('{"data":')) errors.push(`${status} ${text.slice(0, 200)}`);
  };
  const timer = setInterval(() => asked.push(ask().catch((error: unknown) => void errors.push(String(error)))), 100);
  return {
    begin: () => void (longest = 0),
    longest: () => longest,
    async end() {
      clearInterval(timer);
      await Promise.all(asked);
      return { p99: percentile(times, 0.99), errors };
    },
  };
}

/** One line about a cost, for a report. */
export function shown({ genes, bytes, engine, postgres, memory, bystander }: Cost): string {
  const { shape, carrier, width, depth, length, count } = genes;
  return `${shape} by ${carrier}, width ${width}, depth ${depth}, length ${length}, count ${count}: ${bytes} bytes, engine ${engine} ms, Postgres ${postgres} ms, ${memory} MiB, bystander ${bystander} ms`;
}
