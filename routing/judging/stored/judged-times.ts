import type { Client } from "pg";
import type { ConfiguredPrefixes } from "../configured-prefixes.ts";
import { type Message, supernetOf, type Time } from "../episodes.ts";

/** The newest judged update of each prefix. An announcement counts for the configured prefix one bit shorter too, which it may withdraw. */
export class JudgedTimes {
  readonly #newest = new Map<string, Time>();
  readonly #prefixes: ConfiguredPrefixes;
  readonly #supernets = new Map<string, string | null>();

  constructor(prefixes: ConfiguredPrefixes) {
    this.#prefixes = prefixes;
  }

  /** The prefixes whose hijacks an update may change. */
  concerned({ prefix, type }: Message): string[] {
    if (type === "W") return [prefix];
    let supernet = this.#supernets.get(prefix);
    if (supernet === undefined) {
      const wider = supernetOf(prefix);
      supernet = wider !== null && this.#prefixes.find(wider) !== undefined ? wider : null;
      this.#supernets.set(prefix, supernet);
    }
    return supernet === null ? [prefix] : [prefix, supernet];
  }

  add(message: Message): void {
    for (const prefix of this.concerned(message)) {
      const newest = this.#newest.get(prefix);
      if (newest === undefined || message.time > newest) this.#newest.set(prefix, message.time);
    }
  }

  async save(client: Client): Promise<void> {
    await client.query(
      `insert into routing.judged_prefixes as known (prefix, last_update)
       select prefix, 'epoch'::timestamp + time * interval '1 microsecond' from unnest($1::inet[], $2::bigint[]) as w (prefix, time)
       on conflict (prefix) do update set last_update = excluded.last_update where known.last_update < excluded.last_update`,
      [[...this.#newest.keys()], [...this.#newest.values()]],
    );
  }
}

/** The newest judged update of each of these prefixes. */
export async function judgedTimes(client: Client, prefixes: readonly string[]): Promise<ReadonlyMap<string, Time>> {
  const { rows } = await client.query<{ prefix: string; time: string }>(
    `select prefix::text, (extract(epoch from last_update) * 1000000)::bigint::text as time
     from routing.judged_prefixes where prefix = any ($1::inet[])`,
    [prefixes],
  );
  return new Map(rows.map(({ prefix, time }) => [prefix, Number(time)]));
}
