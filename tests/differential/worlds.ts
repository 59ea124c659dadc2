import { existsSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import type { Metadata } from "@routeql/engine/apply-metadata/metadata-api";
import { loadMetadata } from "@routeql/metadata/read/load";
import { readFixtures } from "../conformance/cases.ts";
import { Stage, withAddresses } from "../conformance/stage.ts";
import { startDatabase, type StartedDatabaseContainer } from "../harness/containers/database-container.ts";
import { metadataOf, migrationsOf, randomRows } from "./foreign.ts";
import { execute } from "../harness/execute.ts";
import { createDatabase, type Pair } from "./pair.ts";
import { sampleContents, sampleRows, sampleSchema } from "./sample.ts";

/** One metadata with its filled database. */
export interface World {
  readonly name: string;
  readonly metadata: Metadata;
  /** Address of its database for a superuser. */
  readonly database: string;
}

/** Prepares a world, lends it to `use` and removes it. */
type Lender = (pair: Pair, use: (world: World) => Promise<void>) => Promise<void>;

const projectRows = `
  insert into auth.organisations (id, name) values ('org-1', 'One'), ('org-2', 'Two');
  insert into routing.configured_prefixes (prefix, origins, organisation) values
    ('192.0.2.0/24', '{64496}', 'org-1'), ('198.51.100.0/24', '{64497,64498}', 'org-2'), ('203.0.113.0/24', '{}', 'org-2');
  insert into routing.hijacks (key, type, prefix, hijack_as, time_detected, time_last, configured_prefix, active, ignored, comment, num_peers_seen)
    select 'h' || i, (array['E|0|-|-', 'S|0|-|-', 'Q|0|-|-'])[1 + i % 3], case when i % 2 = 0 then inet '192.0.2.0/24' else '198.51.100.0/24' end, 64500 + i % 4, timestamp '2026-01-01' + i * interval '1 hour',
      case when i % 5 > 0 then timestamp '2026-01-02 10:00:00.000001' + i * interval '1 minute' end, case when i % 2 = 0 then cidr '192.0.2.0/24' else '198.51.100.0/24' end, i % 4 > 0, i % 4 = 0, case when i % 2 = 0 then 'note ' || i else '' end, i % 7
    from generate_series(1, 24) i;
  insert into routing.bgp_updates (key, prefix, origin_as, peer_asn, as_path, service, type, communities, "timestamp", hijack_key, matched_prefix)
    select md5(i::text)::uuid, case when i % 2 = 0 then inet '192.0.2.0/24' else '198.51.100.128/25' end, 64500 + i % 4, 64510 + i % 3, array[64510 + i % 3, 64500 + i % 4], 'ripe-ris|rrc0' || i % 3, 'A',
      '[[64510, 1]]', timestamp '2026-01-01' + i * interval '10 minutes', case when i % 3 = 0 then '{}' else array['h' || 1 + i % 24] end, case when i % 4 > 0 then (case when i % 2 = 0 then cidr '192.0.2.0/24' else '198.51.100.0/24' end) end
    from generate_series(1, 60) i;`;

/** The project's own metadata on a new database with a few rows. */
export async function projectWorld(): Promise<
  World & AsyncDisposable & { readonly container: StartedDatabaseContainer }
> {
  const container = await startDatabase();
  await execute(
    container.getConnectionUri("owner"),
    "create table if not exists routing.bgp_updates_rest partition of routing.bgp_updates default",
    projectRows,
    // Without statistics, the plan and so the order of rows would depend on the moment of the first automatic analysis.
    "analyze routing.hijacks, routing.bgp_updates, routing.configured_prefixes",
  );
  const { merged } = loadMetadata(resolve(import.meta.dirname, "../../hasura-metadata"));
  return {
    name: "project",
    metadata: withAddresses(merged, { ROUTEQL_DATABASE_URL: container.getConnectionUri("engine") }),
    database: container.getConnectionUri("bootstrap"),
    container,
    [Symbol.asyncDispose]: async () => void (await container.stop()),
  };
}

const project: Lender = async (_pair, use) => {
  await using world = await projectWorld();
  await use(world);
};

const sample =
  (name: string, customization = {}): Lender =>
  async (pair, use) => {
    const address = await createDatabase(pair.database, "sample");
    await execute(address, sampleSchema, sampleRows);
    await use({ name, metadata: sampleMetadata(address, customization), database: address });
  };

const named = { root_fields: { namespace: "space", prefix: "p_", suffix: "_s" }, type_names: { prefix: "T_" } };

function sampleMetadata(address: string, customization: object): Metadata {
  const source = { name: "default", kind: "postgres", configuration: { connection_info: { database_url: address } } };
  return {
    version: 3,
    sources: [{ ...source, customization, ...sampleContents }],
    inherited_roles: [
      { role_name: "both", role_set: ["user", "guest"] },
      { role_name: "editor", role_set: [] },
      { role_name: "several", role_set: ["counter", "writer"] },
    ],
  };
}

/** Every folder of Hasura's fixtures whose setup both engines accept; the others are named. */
const fixtures =
  (folder: string): Lender =>
  async (pair, use) => {
    for (const { name, setup, unusable } of readFixtures(resolve(folder))) {
      if (unusable !== undefined) continue;
      await using stage = new Stage(pair.database, {});
      try {
        const metadata = await stage.prepare(setup, true);
        const database = stage.address;
        await pair.apply(metadata);
        await use({ name, metadata, database });
      } catch (error) {
        console.log(`${name}: not compared: ${String(error).split("\n").slice(0, 4).join(" ")}`);
      }
    }
  };

/** A project with a folder of metadata and one of migrations, whose database gets random rows. */
const foreign =
  (folder: string): Lender =>
  async (pair, use) => {
    const address = await createDatabase(pair.database, "foreign_project");
    // Migrations of other projects use their functions without creating them.
    const extensions = 'create extension pgcrypto; create extension "uuid-ossp"';
    await execute(address, extensions, ...migrationsOf(folder), randomRows);
    await use({ name: basename(folder), metadata: metadataOf(folder, address), database: address });
  };

/** @param name `project`, `sample`, `named`, a folder with `metadata/` and `migrations/`, or a folder of Hasura's fixtures */
export function worldNamed(name: string): Lender {
  if (name === "project") return project;
  if (existsSync(join(name, "metadata"))) return foreign(resolve(name));
  if (name === "named") return sample(name, named);
  return name === "sample" ? sample(name) : fixtures(name);
}
