/** Updates of a measured restore, in millions. */
export const millions = Number(process.env["ROUTEQL_RESTORE_MILLIONS"] ?? "0.1");

/** Writes that many updates of January and February 2026, 100,000 with each statement. */
export async function writeManyUpdates(statement: (sql: string) => Promise<unknown>): Promise<void> {
  await statement("select routing.ensure_partitions('2026-01-01', '2026-02-28')");
  for (let done = 0; done < millions * 1e6; done += 100_000)
    await statement(
      `insert into routing.bgp_updates (key, prefix, origin_as, peer_asn, as_path, service, type, "timestamp")
       select gen_random_uuid(), set_masklen(('10.0.0.0'::inet + n), 24), 64500 + n % 1000, 64400 + n % 100,
         array[64400 + n % 100, 3356, 64500 + n % 1000], 'ripe-ris|rrc' || n % 20, 'A', '2026-01-01'::timestamp + n * interval '70 ms'
       from generate_series(${done} + 1, ${done} + 100000) n`,
    );
}
