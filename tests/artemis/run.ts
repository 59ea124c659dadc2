import type { Client } from "pg";
import { loadInput } from "@routeql/routing/batches/load-input";
import type { InputRecord } from "@routeql/routing/formats/records";
import { detect } from "@routeql/routing/judging/detect";
import { readConfiguration } from "@routeql/routing/judging/configuration/read-configuration";
import { activeConfiguration } from "@routeql/routing/judging/stored/stored-configuration";
import { sweep } from "@routeql/routing/judging/sweep";
import { type CaseFile, differences, type Sent, type Step } from "./cases.ts";

export interface CaseResult {
  readonly name: string;
  readonly expectations: number;
  readonly failures: readonly string[];
}

/** Longer than the interval of ARTEMIS's case, in microseconds. */
const silence = 3_600_000_000;

/** Runs one case file: each message is a load of its own, which judges it in its transaction. */
export async function runCase(
  owner: Client,
  client: Client,
  file: CaseFile,
  skipped: Map<string, number>,
): Promise<CaseResult> {
  await owner.query(
    "truncate routing.bgp_updates, routing.hijacks, routing.configured_prefixes, routing.detection, routing.judged_prefixes, routing.visibility_losses cascade",
  );
  await detect(client, readConfiguration(file.configuration, "config.yaml"), {});
  const start = Math.floor(Date.now() / 1000) - 600;
  const failures: string[] = [];
  let expectations = 0;
  for (const step of file.steps) {
    const { send } = step;
    await loadOne(client, send, start);
    const check = async (kind: keyof Step, index: number): Promise<void> => {
      const expected = expectationsOf(step, kind).at(index);
      if (expected === undefined) return;
      expectations += 1;
      const actual =
        kind === "detection_update_response"
          ? await updateRow(client, send, start)
          : await hijackRecord(client, expected, send, start);
      for (const difference of differences(expected, actual, start, skipped))
        failures.push(`message ${send.key}, ${kind}: ${difference}`);
    };
    // A second update is the withdrawal that ARTEMIS invents; no row here.
    await check("detection_update_response", 0);
    await check("detection_hijack_response", -1);
    if (file.waits) {
      const active = await activeConfiguration(client);
      if (expectationsOf(step, "database_hijack_response").length > 1) await check("database_hijack_response", 0);
      if (active !== undefined) await sweep(client, active, Date.now() * 1000 + silence);
    }
    await check("database_hijack_response", -1);
  }
  return { name: file.name, expectations, failures };
}

function expectationsOf(step: Step, kind: keyof Step): readonly Readonly<Record<string, unknown>>[] {
  const expected = step[kind] ?? [];
  return (Array.isArray(expected) ? expected : [expected]) as readonly Readonly<Record<string, unknown>>[];
}

async function loadOne(client: Client, send: Sent, start: number): Promise<void> {
  const record: InputRecord = {
    position: 1,
    text: () => JSON.stringify(send),
    parsed: {
      timestamp: new Date((start + send.timestamp) * 1000).toISOString().slice(0, 19),
      prefix: send.prefix,
      peerAsn: send.peer_asn,
      monitor: null,
      type: send.type,
      path: send.path,
      communities: JSON.stringify(send.communities.map(({ asn, value }) => [asn, value])),
      service: `artemis|${send.service}`,
    },
  };
  await loadInput(
    client,
    (async function* () {
      yield {
        name: null,
        format: null,
        records: (async function* () {
          yield [record];
        })(),
      };
    })(),
  );
}

type Row = Readonly<Record<string, unknown>>;

async function jsonRow(client: Client, query: string, values: readonly unknown[]): Promise<Row | undefined> {
  const { rows } = await client.query<{ row: Row }>(`select to_json(q) as row from (${query}) q`, [...values]);
  return rows[0]?.row;
}

const updateRow = (client: Client, { prefix, peer_asn, type, timestamp }: Sent, start: number) =>
  jsonRow(
    client,
    `select prefix, peer_asn, origin_as, handled, matched_prefix, type, hijack_key, as_path as path from routing.bgp_updates
     where prefix = $1 and peer_asn = $2 and type = $3 and "timestamp" = to_timestamp($4) at time zone 'UTC'`,
    [prefix, peer_asn, type, start + timestamp],
  );

/** The newest record with the expected identity; without one, a record of the update, or of the prefix around it. */
const hijackRecord = (client: Client, { prefix, type, hijack_as }: Row, send: Sent, start: number) =>
  jsonRow(
    client,
    `select key, type, prefix, hijack_as, active, resolved, ignored, withdrawn, outdated, dormant, under_mitigation, seen,
       peers_seen, peers_withdrawn, num_peers_seen, asns_inf, num_asns_inf, configured_prefix, community_annotation,
       extract(epoch from time_started) as time_started, extract(epoch from time_last) as time_last, extract(epoch from time_ended) as time_ended
     from routing.hijacks h
     where prefix >>= coalesce($1::inet, $4) and ($1::inet is null or prefix = $1) and ($2::text is null or type = $2)
       and ($3::bigint is null or hijack_as = $3)
     order by exists (
       select from routing.bgp_updates u where u.prefix = $4 and u."timestamp" = to_timestamp($5) at time zone 'UTC' and h.key = any (u.hijack_key)
     ) desc, masklen(prefix) desc, time_detected desc limit 1`,
    [prefix ?? null, type ?? null, hijack_as ?? null, send.prefix, start + send.timestamp],
  );
