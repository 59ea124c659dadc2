import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { filterSql } from "hasura-checks/declared/filter-text";
import { declared } from "./support/declared.ts";
import { demoRows, north, type Rows, sessionOf, south, World } from "./support/world.ts";

const access = declared();

let world: World;

beforeAll(async () => {
  world = await World.start(demoRows);
});

afterAll(async () => world[Symbol.asyncDispose]());

/** Filters written by hand; `$1` is the session's organisation. */
const visibleUpdates = `exists (select from view_configured_prefixes c where c.prefix = u.matched_prefix and c.organisation = $1)`;
const visibleHijacks = `exists (select from view_configured_prefixes c where c.prefix = h.configured_prefix and c.organisation = $1)`;
const rowsOfAll = {
  view_bgpupdates: "from view_bgpupdates u where true",
  view_hijacks: "from view_hijacks h where true",
  view_bgpupdates_hijacks: "from view_bgpupdates_hijacks l where true",
  view_bgpupdates_log: "from view_bgpupdates_log u where true",
  view_hijacks_log: "from view_hijacks_log h where true",
  view_log_generations: "from view_log_generations g where true",
  view_hijack_reasons: "from view_hijack_reasons r where true",
  view_feed_gaps: "from view_feed_gaps f where true",
  view_visibility_losses: "from view_visibility_losses v where true",
};
const byHand: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  analyst: rowsOfAll,
  operator: rowsOfAll,
  viewer: {
    ...rowsOfAll,
    view_hijacks: "from view_hijacks h where not ignored",
    view_hijacks_log: "from view_hijacks_log h where not ignored",
    view_bgpupdates_hijacks:
      "from view_bgpupdates_hijacks l where hijack_key in (select key from view_hijacks where not ignored)",
    view_hijack_reasons:
      "from view_hijack_reasons r where hijack_key in (select key from view_hijacks where not ignored)",
  },
  tenant: {
    view_bgpupdates: `from view_bgpupdates u where ${visibleUpdates}`,
    view_bgpupdates_log: `from view_bgpupdates_log u where ${visibleUpdates}`,
    view_hijacks: `from view_hijacks h where ${visibleHijacks}`,
    view_hijacks_log: `from view_hijacks_log h where ${visibleHijacks}`,
    view_log_generations: rowsOfAll.view_log_generations,
    view_hijack_reasons: `from view_hijack_reasons r where exists (select from view_hijacks h where h.key = r.hijack_key and ${visibleHijacks})`,
    view_visibility_losses:
      "from view_visibility_losses v where exists (select from view_configured_prefixes c where c.prefix = v.prefix and c.organisation = $1)",
    view_feed_gaps: "from view_feed_gaps f where exists (select from view_configured_prefixes where organisation = $1)",
    view_bgpupdates_hijacks: `from view_bgpupdates_hijacks l
      where exists (select from view_hijacks h where h.key = l.hijack_key and ${visibleHijacks})
        and exists (select from view_bgpupdates u where (u.timestamp, u.prefix, u.peer_asn, u.type, u.as_path, u.service)
          = (l.timestamp, l.prefix, l.peer_asn, l.type, l.as_path, l.service) and ${visibleUpdates})`,
  },
};

/** Columns with a total order, except for rows with equal values in all of them. */
const totalOrder: Readonly<Record<string, readonly string[]>> = {
  view_bgpupdates: ["timestamp", "prefix", "peer_asn", "type", "as_path", "service"],
  view_hijacks: ["key"],
  view_bgpupdates_log: ["position"],
  view_hijacks_log: ["position"],
  view_log_generations: ["log", "generation"],
  view_hijack_reasons: ["hijack_key"],
  view_feed_gaps: ["gap"],
  view_visibility_losses: ["prefix", "time_started"],
  view_bgpupdates_hijacks: ["hijack_key", "timestamp", "prefix", "peer_asn", "type", "as_path", "service"],
};

const views = Object.keys(rowsOfAll);
const columnsOf = (role: string, view: string) => access.permission(role, `public.${view}`)?.columns ?? [];
const limitOf = (role: string, view: string) => access.permission(role, `public.${view}`)?.limit ?? 0;
const asSet = (rows: Rows) => rows.map((row) => JSON.stringify(row)).toSorted();

/** The session's organisation, only if the filter uses it. */
const valuesFor = (sql: string, organisation: string | undefined) => (sql.includes("$1") ? [organisation] : []);

async function expected(role: string, view: string, organisation?: string): Promise<Rows> {
  const sql = `select ${columnsOf(role, view).join(", ")} ${byHand[role]?.[view]}`;
  return world.rows(sql, valuesFor(sql, organisation));
}

/** All rows that a role can read, page by page. */
async function served(role: string, view: string, organisation?: string): Promise<Rows> {
  const order = (totalOrder[view] ?? []).map((column) => `{${column}: asc}`).join(" ");
  const page = limitOf(role, view);
  const rows: Record<string, unknown>[] = [];
  for (;;) {
    const query = `{ ${view}(offset: ${rows.length}, order_by: [${order}]) { ${columnsOf(role, view).join(" ")} } }`;
    const data = await world.ask<Record<string, Rows>>(sessionOf(role, organisation), query);
    const found = data[view] ?? [];
    rows.push(...found);
    if (found.length < page) return rows;
  }
}

const cases = Object.keys(byHand).flatMap((role) =>
  (role === "tenant" ? [north, south] : [undefined]).flatMap((organisation) =>
    views.map((view) => [organisation ?? "", role, view] as const),
  ),
);

test("the rows distinguish the filters: each condition hides some rows and shows some", async () => {
  const counts = async (sql: string, organisation?: string) =>
    (await world.rows(`select 1 ${sql}`, valuesFor(sql, organisation))).length;
  for (const view of views) {
    if (view === "view_log_generations" || view === "view_feed_gaps") continue;
    const all = await counts(rowsOfAll[view as keyof typeof rowsOfAll]);
    const mine = await counts(byHand["tenant"]?.[view] ?? "", north);
    const theirs = await counts(byHand["tenant"]?.[view] ?? "", south);
    expect([view, mine > 0, theirs > 0, mine + theirs < all]).toEqual([view, true, true, true]);
  }
  expect(await counts("from view_hijacks where ignored")).toBe(2);
  expect(await counts("from view_bgpupdates where hijack_key = '{}'")).toBeGreaterThan(3000);
  expect(await counts("from view_bgpupdates where cardinality(hijack_key) > 1")).toBeGreaterThan(2);
  expect(await counts("from view_bgpupdates where matched_prefix is null")).toBe(2);
});

describe.each(cases)("%s %s of %s", (given, role, view) => {
  const organisation = given === "" ? undefined : given;

  test("gets exactly the rows of its filter in SQL, with every column that it may read", async () => {
    const rows = await expected(role, view, organisation);
    expect(rows.length).toBeGreaterThan(0);
    expect(asSet(await served(role, view, organisation))).toEqual(asSet(rows));
  });

  test("and the rows of the SQL in the documentation", async () => {
    const permission = access.permission(role, `public.${view}`);
    const where = filterSql(access, `public.${view}`, permission?.filter ?? {}, "it", () => "$1");
    const documented = await world.rows(
      `select ${columnsOf(role, view)
        .map((column) => `it.${column}`)
        .join(", ")} from ${view} it where ${where}`,
      valuesFor(where, organisation),
    );
    expect(asSet(documented)).toEqual(asSet(await expected(role, view, organisation)));
  });

  test("and the same as a live query", async () => {
    const order = (totalOrder[view] ?? []).map((column) => `{${column}: asc}`).join(" ");
    const body = `{ ${view}(order_by: [${order}]) { ${columnsOf(role, view).join(" ")} } }`;
    const session = sessionOf(role, organisation);
    expect(await world.reply(session, `subscription ${body}`)).toBe(await world.reply(session, `query ${body}`));
  });

  test("and nothing else by a stream", async () => {
    const cursor =
      {
        view_bgpupdates: "timestamp",
        view_hijacks: "key",
        view_bgpupdates_hijacks: "timestamp",
        view_log_generations: "generation",
        view_hijack_reasons: "hijack_key",
        view_feed_gaps: "gap",
        view_visibility_losses: "time_started",
      }[view] ?? "position";
    const columns = columnsOf(role, view).join(" ");
    const initial =
      { key: '""', hijack_key: '""', timestamp: '"2000-01-01"', time_started: '"2000-01-01"' }[cursor] ?? "0";
    const query = `subscription { ${view}_stream(batch_size: 1000000, cursor: {initial_value: {${cursor}: ${initial}}}) { ${columns} } }`;
    const live = world.engine.prepareSubscription({ query }, sessionOf(role, organisation));
    const streamed: Record<string, unknown>[] = [];
    for (let { parameters } = live; ;) {
      const [answer] = await world.engine.poll(live.cohortKey, [parameters]);
      if (answer === undefined || answer.failed) throw new Error(answer?.text);
      if (answer.empty) break;
      const rows = (JSON.parse(answer.text) as { data: Record<string, Rows> }).data[`${view}_stream`] ?? [];
      expect(rows.length).toBeLessThanOrEqual(limitOf(role, view));
      streamed.push(...rows);
      parameters = answer.nextParameters ?? parameters;
    }
    const rows = asSet(await expected(role, view, organisation));
    expect(streamed.length > 0).toBe(rows.length > 0);
    // Links of one update share its time: a batch may end between them, and the next starts after that time.
    if (view === "view_bgpupdates_hijacks") expect(asSet(streamed).filter((row) => !rows.includes(row))).toEqual([]);
    else expect(asSet(streamed)).toEqual(rows);
  });

  test("and counts them, if it may count", async () => {
    if (access.permission(role, `public.${view}`)?.aggregates !== true) {
      expect(
        await world.reply(sessionOf(role, organisation), `query { ${view}_aggregate { aggregate { count } } }`),
      ).toContain("not found in type");
      return;
    }
    const [column] = columnsOf(role, view);
    const rows = await expected(role, view, organisation);
    const values = rows.map((row) => row[column ?? ""]).filter((value) => value !== null);
    const query = `{ ${view}_aggregate { aggregate { count distinct: count(columns: [${column}], distinct: true) } } }`;
    expect(await world.ask(sessionOf(role, organisation), query)).toEqual({
      [`${view}_aggregate`]: {
        aggregate: { count: rows.length, distinct: new Set(values.map((value) => JSON.stringify(value))).size },
      },
    });
  });
});

describe("along relationships", () => {
  /** Pairs of a row's key and the key of the row that it leads to. */
  const ways = [
    ["view_hijacks", "update_links", "key", "hijack_key timestamp prefix type"],
    ["view_hijacks", "reason", "key", "hijack_key rule"],
    ["view_hijack_reasons", "hijack", "hijack_key", "key ignored configured_prefix"],
    ["view_bgpupdates", "hijack_links", "timestamp prefix peer_asn type as_path service", "hijack_key"],
    ["view_bgpupdates_hijacks", "hijack", "hijack_key timestamp", "key ignored configured_prefix"],
    ["view_bgpupdates_hijacks", "update", "hijack_key timestamp", "timestamp prefix matched_prefix"],
  ] as const;

  test.each(cases)("%s %s of %s reaches only rows that its root field also returns", async (given, role, view) => {
    const organisation = given === "" ? undefined : given;
    for (const [from, relationship, own, other] of ways) {
      if (from !== view) continue;
      const where = from === "view_bgpupdates" ? `, where: {hijack_key: {_neq: []}}` : "";
      const query = `{ ${from}(limit: 1000${where}) { ${own} ${relationship} { ${other} } } }`;
      const data = await world.ask<Record<string, Rows>>(sessionOf(role, organisation), query);
      const target =
        access.tables
          .get(`public.${from}`)
          ?.relationships.find(({ name }) => name === relationship)
          ?.target.replace("public.", "") ?? "";
      const names = other.split(" ");
      const all = new Set(
        (await expected(role, target, organisation)).map((row) => JSON.stringify(names.map((name) => row[name]))),
      );
      const reached = (data[from] ?? []).flatMap((row) => (row[relationship] ?? []) as Rows | Rows[number]);
      expect(reached.length, `${from}.${relationship}`).toBeGreaterThan(0);
      expect(reached.filter((row) => !all.has(JSON.stringify(names.map((name) => row[name]))))).toEqual([]);
    }
  });
});
