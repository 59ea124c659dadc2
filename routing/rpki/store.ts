import { pipeline } from "node:stream/promises";
import type { Client } from "pg";
import { from as copyFrom } from "pg-copy-streams";
import { type VrpList, VrpListError } from "./vrps.ts";

export interface StoredVrps {
  readonly total: number;
  readonly added: number;
  readonly removed: number;
  /** Hijacks with another status. */
  readonly hijacks: number;
  /** When the validator made the list, else the time of the load. */
  readonly builtAt: Date;
}

export interface StoreOptions {
  /** Address or name of the file. */
  readonly source: string;
  /** Also a list with less than half of the stored payloads. */
  readonly fewer: boolean;
}

/** Replaces the stored payloads by those of a list, and validates hijacks with them, in one transaction. @throws VrpListError */
export async function storeVrps(client: Client, list: VrpList, options: StoreOptions): Promise<StoredVrps> {
  const { vrps, builtAt = new Date() } = list;
  const started = performance.now();
  await client.query("begin");
  try {
    await client.query(
      "create temporary table listed_vrps (prefix inet not null, max_length smallint not null, asn bigint not null) on commit drop",
    );
    const lines = function* (): Generator<string> {
      for (const { prefix, maxLength, asn } of vrps) yield `${prefix}\t${maxLength}\t${asn}\n`;
    };
    await pipeline(lines(), client.query(copyFrom("copy listed_vrps from stdin")));
    await client.query("analyze listed_vrps");
    // One run at a time; readers need not wait.
    await client.query("lock table routing.vrps in share row exclusive mode");
    await refuseFewer(client, options);
    const removed = await client.query(
      `delete from routing.vrps known where not exists (
         select from listed_vrps l where l.prefix = known.prefix and l.max_length = known.max_length and l.asn = known.asn)`,
    );
    const added = await client.query(
      "insert into routing.vrps (prefix, max_length, asn) select prefix, max_length, asn from listed_vrps on conflict do nothing",
    );
    const built = builtAt.toISOString().slice(0, -1);
    const { rows } = await client.query<{ hijacks: string; total: string }>(
      "select routing.validate_hijacks() as hijacks, (select count(*) from routing.vrps) as total",
    );
    await client.query("select migrations.record_vrps($1, $2)", [built, (performance.now() - started) / 1000]);
    await client.query("commit");
    return {
      builtAt,
      total: Number(rows[0]?.total),
      added: added.rowCount ?? 0,
      removed: removed.rowCount ?? 0,
      hijacks: Number(rows[0]?.hijacks),
    };
  } catch (error) {
    await client.query("rollback").catch(() => {}); // the connection may have failed
    throw error;
  }
}

/** A validator that could not reach its repositories makes a short list, and valid routes would become unknown. */
async function refuseFewer(client: Client, { fewer, source }: StoreOptions): Promise<void> {
  if (fewer) return;
  const { rows } = await client.query<{ listed: string; stored: string }>(
    "select (select count(*) from listed_vrps) as listed, (select count(*) from routing.vrps) as stored",
  );
  const [listed, stored] = [Number(rows[0]?.listed), Number(rows[0]?.stored)];
  if (listed * 2 < stored)
    throw new VrpListError(
      `${source} has ${listed} payloads, less than half of the ${stored} that are stored. Nothing was changed. Look at the log of the validator, or accept the list with --fewer.`,
    );
}
