import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { gunzipSync } from "node:zlib";
import type { Metadata } from "@routeql/engine/apply-metadata/metadata-api";
import type { Call, Server } from "./pair.ts";
import { drawCalls } from "./run.ts";
import type { World } from "./worlds.ts";

export interface RecordedAnswer {
  readonly call: Call;
  /** Status, content type and body, in the form of `canonical`. */
  readonly answer: string;
  /** Whether the embedded engine answered otherwise when this was recorded. */
  readonly differs: boolean;
}

/** Answers of Hasura's own server over `hasura-metadata/`. */
export interface Recording {
  /** Version of the server. */
  readonly server: string;
  readonly answers: readonly RecordedAnswer[];
}

export const recordingFile: string = resolve(import.meta.dirname, "recording.json.gz");

export const readRecording = (): Recording =>
  JSON.parse(gunzipSync(readFileSync(recordingFile)).toString("utf8")) as Recording;

/** Views that are newer than the recording. Delete these names before the next one. */
const newer: ReadonlySet<string> = new Set([
  "view_bgpupdates_log",
  "view_feed_gaps",
  "view_hijack_reasons",
  "view_hijacks_log",
  "view_log_generations",
  "view_visibility_losses",
]);

interface Relationship {
  readonly using: { readonly manual_configuration?: { readonly remote_table: { readonly name: string } } };
}

/** The metadata without what the recording does not know. */
export function recordedMetadata(metadata: Metadata): Metadata {
  return JSON.parse(JSON.stringify(metadata), (key, value: unknown) => {
    if (key === "tables")
      return (value as { readonly table: { readonly name: string } }[]).filter(({ table }) => !newer.has(table.name));
    if (key === "object_relationships" || key === "array_relationships")
      return (value as Relationship[]).filter(
        ({ using }) => !newer.has(using.manual_configuration?.remote_table.name ?? ""),
      );
    return value;
  }) as Metadata;
}

const written: readonly string[] = [
  "{ view_hijacks(limit: 5, order_by: {time_last: desc}) { key type prefix hijack_as time_last active } }",
  "{ view_bgpupdates(limit: 5, order_by: {timestamp: desc}) { as_path communities hijack_key origin_as timestamp } }",
  '{ view_hijacks(where: {configurations: {organisation: {_eq: "org-1"}}}, order_by: {key: asc}) { key configurations { organisation } } }',
  "{ view_hijacks(order_by: {key: asc}) { key update_links(order_by: {timestamp: asc}, limit: 2) { timestamp update { as_path } } } }",
  "{ view_hijacks_aggregate { aggregate { count max { time_last } sum { num_peers_seen } } } }",
  "{ view_hijacks(distinct_on: hijack_as, order_by: [{hijack_as: asc}, {key: asc}]) { hijack_as key } }",
  '{ view_hijacks(where: {prefix: {_cast: {String: {_like: "192.%"}}}}) { key } }',
  "{ view_hijacks(limit: -1) { key } }",
  "{ view_hijacks(offset: -1) { key } }",
  "{ view_hijacks(where: {key: {_eq: null}}) { key } }",
  '{ view_hijacks(where: {key: {_regex: "("}}) { key } }',
  "{ view_hijacks { key @skip(if: null) } }",
  "{ view_hijacks { comment } missing }",
  "query one { view_hijacks { key } } query two { view_hijacks { key } }",
  '{ __type(name: "view_hijacks") { name fields { name type { kind name } } } }',
  "{ view_hijacks { key ",
  "",
];

/** The requests of the recording: hand-written ones as every role, and random ones of one seed. */
export async function recordedCalls(server: Server, world: World): Promise<readonly Call[]> {
  const roles = ["admin", "viewer", "analyst", "operator", "tenant", "unknown"];
  const fixed = written.flatMap((query) =>
    roles.map((role) => ({ session: { "x-hasura-role": role, "x-hasura-org-id": "org-1" }, query })),
  );
  const drawn = await drawCalls(server, world, { requests: 2_000, seed: 36 });
  return [...fixed, ...drawn.filter(({ live }) => !live).map(({ live: _live, ...call }) => call)];
}
