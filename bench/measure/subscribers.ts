import type { Client } from "pg";
import { HelperProcess } from "./helper-process.ts";
import type { AwaitValue, OpenSubscribers } from "./subscriber-process.ts";

export type Origin = Pick<OpenSubscribers, "url" | "token" | "authority">;

const variableSets = 100;
const subscriptionsPerConnection = 2;
const query =
  "subscription ($key: String!) { view_hijacks(where: {key: {_eq: $key}}) { key num_peers_seen time_last } }";
const keys = Array.from({ length: variableSets }, (_, index) => `bench-${index}`);
const longestWait = 30_000;

/** Adds the rows that the subscribers watch. The client is connected as the owner of the tables. */
export async function addWatchedRows(owner: Client): Promise<void> {
  await owner.query(
    `insert into routing.hijacks (key, type, prefix, hijack_as, time_detected, time_last)
     select key, 'E|0|-|-', '192.0.2.0/24', 64511, '2014-01-01', '2014-01-01' from unnest($1::text[]) key on conflict do nothing`,
    [keys],
  );
}

/** A query of the variable `key`, and its values. */
export interface Watched {
  readonly query: string;
  readonly keys: readonly string[];
}

/** Subscribers of one query with {@link variableSets} different variables, in a process of their own. */
export class Subscribers extends HelperProcess {
  static readonly variableSets = variableSets;
  readonly #origin: Origin;
  readonly #watched: Watched;
  #count = 0;

  constructor(origin: Origin, watched: Watched = { query, keys }) {
    super("measure/subscriber-process.ts");
    this.#origin = origin;
    this.#watched = watched;
  }

  get count(): number {
    return this.#count;
  }

  /** Opens connections until there are so many subscribers, each with its first answer. */
  async grow(count: number): Promise<void> {
    const connections = (count - this.#count) / subscriptionsPerConnection;
    const wanted: OpenSubscribers = {
      type: "open",
      ...this.#origin,
      ...this.#watched,
      connections,
      subscriptionsPerConnection,
    };
    await this.ask(wanted);
    this.#count = count;
  }

  /** Changes all watched rows; returns milliseconds from commit to each arrival. @param value new @param phase of the polling interval */
  async change(owner: Client, value: number, phase: number): Promise<Float64Array> {
    await new Promise((wake) => setTimeout(wake, 200 + phase * 1_000));
    const wanted: AwaitValue = { type: "await", marker: `"num_peers_seen":${value}`, milliseconds: longestWait };
    const answer = this.ask<Float64Array>(wanted);
    await owner.query("update routing.hijacks set num_peers_seen = $1 where key = any($2)", [value, keys]);
    const committed = performance.timeOrigin + performance.now();
    return (await answer).map((at) => at - committed);
  }
}
