import { createEngine, query, type Engine, type EngineOptions, type Session } from "@routeql/engine";
import { startDatabase, type StartedDatabaseContainer } from "../../harness/containers/database-container.ts";

/**
 * Three hijacks and four updates, with documentation prefixes and AS numbers: org-1 owns 192.0.2.0/24, org-2 198.51.100.0/24.
 * h2 is ignored; the last update belongs to no hijack.
 */
const rows = `
insert into auth.organisations (id, name) values ('org-1', 'One'), ('org-2', 'Two');
insert into routing.configured_prefixes (prefix, origins, organisation) values ('192.0.2.0/24', '{64496}', 'org-1'), ('198.51.100.0/24', '{64497}', 'org-2');
insert into routing.hijacks (key, type, prefix, hijack_as, time_detected, time_last, configured_prefix, active, ignored, comment, num_peers_seen) values
  ('h1', 'E|0|-|-', '192.0.2.0/24', 64500, '2026-01-01', '2026-01-01 10:00:00.000001', '192.0.2.0/24', true, false, 'private', 3),
  ('h2', 'S|0|-|-', '192.0.2.128/25', 64501, '2026-01-02', '2026-01-03', '192.0.2.0/24', false, true, '', 5),
  ('h3', 'E|0|-|-', '198.51.100.0/24', 64502, '2026-01-03', null, '198.51.100.0/24', true, false, '', 1);
insert into routing.bgp_updates (key, prefix, origin_as, peer_asn, as_path, service, type, communities, "timestamp", hijack_key, matched_prefix) values
  (gen_random_uuid(), '192.0.2.0/24', 64500, 64510, '{64510,64500}', 'ripe-ris|rrc00', 'A', '[[64510,1]]', '2026-01-01 10:00:00.123456', '{h1}', '192.0.2.0/24'),
  (gen_random_uuid(), '192.0.2.128/25', 64501, 64510, '{64510,64501}', 'ripe-ris|rrc00', 'A', '[]', '2026-01-02', '{h2}', '192.0.2.0/24'),
  (gen_random_uuid(), '198.51.100.0/24', 64502, 64511, '{64511,64502}', 'ripe-ris|rrc01', 'A', '[]', '2026-01-03', '{h3}', '198.51.100.0/24'),
  (gen_random_uuid(), '203.0.113.0/24', -1, 64511, '{}', 'ripe-ris|rrc01', 'W', '[]', '2026-01-04', '{}', null);
`;

export interface RoutingWorld extends AsyncDisposable {
  readonly database: StartedDatabaseContainer;
  readonly engine: Engine;
  /** The data of a response. @throws EngineError */
  ask(
    role: string,
    query: string,
    variables?: Record<string, unknown>,
    session?: Record<string, string>,
  ): Promise<unknown>;
}

export function sessionOf(role: string, variables: Readonly<Record<string, string>> = {}): Session {
  return { role, isAdmin: role === "admin", variables: new Map(Object.entries(variables)) };
}

/** The project's database with a few rows, and an engine over the project's own metadata with the engine's database role. */
export async function startRouting(options: Partial<EngineOptions> = {}): Promise<RoutingWorld> {
  const database = await startDatabase();
  try {
    await using owner = await database.connect("owner");
    await owner.query(`create table if not exists routing.bgp_updates_rest partition of routing.bgp_updates default`);
    await owner.query(rows);
    const engine = await createEngine({
      metadata: "hasura-metadata",
      environment: { ROUTEQL_DATABASE_URL: database.getConnectionUri("engine") },
      ...options,
    });
    return {
      database,
      engine,
      ask: (role, document, variables, session = {}) => query(engine, role, session, document, variables),
      [Symbol.asyncDispose]: async () => {
        await engine.close();
        await database.stop();
      },
    };
  } catch (error) {
    await database.stop();
    throw error;
  }
}
