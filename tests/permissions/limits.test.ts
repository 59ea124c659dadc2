import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { declared } from "./support/declared.ts";
import { north, type Rows, sessionOf, World } from "./support/world.ts";

/** More rows than any role may request at once: one hijack with all links, and one update with as many hijacks. */
const many = 10_050;
const fill = `
  insert into auth.organisations (id, name) values ('${north}', 'North');
  insert into routing.configured_prefixes (prefix, origins, organisation) values ('192.0.2.0/24', '{64500}', '${north}');
  insert into routing.hijacks (key, type, prefix, hijack_as, time_detected, configured_prefix)
    select 'h' || n, 'E|0|-|-', '192.0.2.0/24', 64511, '2026-01-01', '192.0.2.0/24' from generate_series(1, ${many}) n;
  select routing.ensure_partitions('2026-01-01', '2026-01-02');
  insert into routing.bgp_updates (key, prefix, origin_as, peer_asn, as_path, service, type, "timestamp", hijack_key, matched_prefix)
    select gen_random_uuid(), '192.0.2.0/24', 64511, 64496, '{64511}', 'demo|north', 'A', '2026-01-01'::timestamp + n * interval '1 second',
      case n when 1 then (select array_agg(key::text) from routing.hijacks) else '{h1}' end, '192.0.2.0/24'
    from generate_series(1, ${many}) n;
  insert into routing.visibility_losses (prefix, time_started, time_ended, active, min_peers, num_peers)
    select '192.0.2.0/24', '2026-01-01'::timestamp + n * interval '1 minute', '2026-01-01'::timestamp + n * interval '1 minute', false, 1, 0
    from generate_series(1, ${many}) n;
  insert into routing.feed_sources (source, covered_until, beat_at) values ('ris-live', now(), '2100-01-01');
  insert into routing.feed_gaps (source, time_started, time_ended, reason)
    select 'ris-live', '2026-01-01'::timestamp + n * interval '1 minute', '2026-01-01'::timestamp + n * interval '1 minute', 'silent'
    from generate_series(1, ${many}) n;`;

/** Generations before those of the rows above, as many as there are rows. */
const fillGenerations = `
  insert into routing.log_generations (log, generation, kept_position, reason, timeline)
    select 'updates', n, 0, 'restore', '00000001' from generate_series(1, ${many} - (select count(*) from routing.log_generations)) n`;

/** A column of each root field with different values in enough rows, and a value below all of them. */
const ordered: Readonly<Record<string, readonly [column: string, lowest: string]>> = {
  view_bgpupdates: ["timestamp", '"2000-01-01"'],
  view_bgpupdates_hijacks: ["hijack_key", '""'],
  view_bgpupdates_log: ["position", "0"],
  view_feed_gaps: ["gap", "0"],
  view_hijack_reasons: ["hijack_key", '""'],
  view_hijacks: ["key", '""'],
  view_hijacks_log: ["position", "0"],
  view_log_generations: ["generation", "0"],
  view_visibility_losses: ["time_started", '"2000-01-01"'],
};

const access = declared();
const tables = [...access.tables.values()].filter(({ columns }) => columns.length > 0);

let world: World;

beforeAll(async () => {
  world = await World.start(async (database) => {
    await using owner = await database.connect("owner");
    await owner.query(fill);
    await owner.query(fillGenerations);
  });
});

afterAll(async () => world[Symbol.asyncDispose]());

const cases = [
  ["viewer", 100],
  ["analyst", 1000],
  ["tenant", 1000],
  ["operator", 10_000],
] as const;

describe.each(cases)("%s gets at most %i rows", (role, most) => {
  const session = sessionOf(role, north);
  const aggregates = role !== "viewer";

  async function lengthOf(field: string, variables: Record<string, unknown> = {}, declaration = ""): Promise<number> {
    const data = await world.ask<{ rows: Rows }>(
      session,
      `query${declaration} { rows: ${field} { __typename } }`,
      variables,
    );
    return data.rows.length;
  }

  describe.each(tables.map(({ rootField }) => rootField))("of %s", (root) => {
    const [column, lowest] = ordered[root] ?? [];

    test.each([
      ["no limit", "", most],
      ["null", "(limit: null)", most],
      ["a larger limit", "(limit: 2147483647)", most],
      ["one more", `(limit: ${most + 1})`, most],
      ["the same", `(limit: ${most})`, most],
      ["one less", `(limit: ${most - 1})`, most - 1],
      ["one", "(limit: 1)", 1],
      ["none", "(limit: 0)", 0],
    ])("when the client asks for %s", async (_what, args, rows) => {
      expect(await lengthOf(root + args)).toBe(rows);
      const variable = /limit: (\w+)/.exec(args)?.[1];
      if (variable === undefined) expect(await lengthOf(`${root}(limit: $most)`, {}, "($most: Int)")).toBe(rows);
      else
        expect(
          await lengthOf(
            `${root}(limit: $most)`,
            { most: variable === "null" ? null : Number(variable) },
            "($most: Int)",
          ),
        ).toBe(rows);
    });

    test("with any offset, order, distinct and under several names", async () => {
      expect(await lengthOf(`${root}(offset: 7)`)).toBe(most);
      expect(await lengthOf(`${root}(order_by: {${column}: desc}, offset: 0)`)).toBe(most);
      expect(await lengthOf(`${root}(distinct_on: [${column}])`)).toBe(most);
      const data = await world.ask<Record<string, Rows>>(
        session,
        `{ a: ${root} { __typename } b: ${root} { __typename } }`,
      );
      expect([data["a"]?.length, data["b"]?.length]).toEqual([most, most]);
    });

    test("in live queries and in a stream's batch", async () => {
      const count = async (document: string) =>
        Object.values((JSON.parse(await world.reply(session, document)) as { data: Record<string, Rows> }).data)[0]
          ?.length;
      expect(await count(`subscription { ${root} { __typename } }`)).toBe(most);
      expect(await count(`subscription { ${root}(limit: 999999) { __typename } }`)).toBe(most);
      expect(
        await count(
          `subscription { ${root}_stream(batch_size: 999999, cursor: {initial_value: {${column}: ${lowest}}}) { __typename } }`,
        ),
      ).toBe(most);
    });

    test("in the nodes of an aggregate; the aggregate counts all visible rows", async () => {
      if (!aggregates) {
        expect(await world.reply(session, `query { ${root}_aggregate { nodes { __typename } } }`)).toContain(
          "not found in type: 'query_root'",
        );
        return;
      }
      const query = `{ all: ${root}_aggregate { aggregate { count } nodes { __typename } } more: ${root}_aggregate(limit: 999999) { nodes { __typename } } less: ${root}_aggregate(limit: 3) { aggregate { count } nodes { __typename } } }`;
      const data = await world.ask<Record<string, { aggregate?: { count: number }; nodes: Rows }>>(session, query);
      expect(data["all"]?.aggregate?.count).toBe(root === "view_bgpupdates_hijacks" ? 2 * many - 1 : many);
      expect(data["all"]?.nodes).toHaveLength(most);
      expect(data["more"]?.nodes).toHaveLength(most);
      expect([data["less"]?.aggregate?.count, data["less"]?.nodes.length]).toEqual([3, 3]);
    });
  });

  const nested = [
    ["view_hijacks", 'where: {key: {_eq: "h1"}}', "update_links"],
    ["view_bgpupdates", 'where: {timestamp: {_eq: "2026-01-01T00:00:01"}}', "hijack_links"],
  ] as const;

  test.each(nested)("of a list inside of %s(%s)", async (root, where, relationship) => {
    const lists = ["", "(limit: null)", `(limit: ${most + 1})`, "(limit: 2147483647)", "(offset: 1)", "(limit: 2)"];
    const selection = lists.map((args, index) => `l${index}: ${relationship}${args} { __typename }`).join(" ");
    const data = await world.ask<Record<string, readonly Readonly<Record<string, Rows>>[]>>(
      session,
      `{ ${root}(${where}) { ${selection} } }`,
    );
    expect(lists.map((_args, index) => data[root]?.[0]?.[`l${index}`]?.length)).toEqual([
      most,
      most,
      most,
      most,
      most,
      2,
    ]);
    expect(
      await world.reply(session, `query { ${root}(${where}) { ${relationship}(limit: -1) { __typename } } }`),
    ).toContain("non-negative");
  });

  test.each(nested)(
    "of the nodes of an aggregate inside of %s(%s), if the role may request one",
    async (root, where, relationship) => {
      if (!aggregates) {
        expect(
          await world.reply(session, `query { ${root} { ${relationship}_aggregate { nodes { __typename } } } }`),
        ).toContain("not found in type");
        return;
      }
      const query = `{ ${root}(${where}) { ${relationship}_aggregate(limit: 999999) { nodes { __typename } } } }`;
      const data = await world.ask<Record<string, readonly Readonly<Record<string, { nodes: Rows }>>[]>>(
        session,
        query,
      );
      expect(data[root]?.[0]?.[`${relationship}_aggregate`]?.nodes).toHaveLength(most);
    },
  );
});
