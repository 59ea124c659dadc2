import { buildSchema } from "graphql";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { attacks, trapsWith, unreadable } from "./support/attacks.ts";
import { fill, type Onlooker, onlookers } from "./support/onlookers.ts";
import { RandomDocuments, type Values } from "./support/random.ts";
import { north, sessionOf, south, World } from "./support/world.ts";

/*
 * A role's replies must not depend on rows that it may not see. Every document runs twice, and in between hidden rows are changed,
 * added and deleted. A different reply, whether a row, a number or an error, reveals them.
 */

const texts = quoted([
  "ni1",
  "si1",
  "sv1",
  "x1",
  "secret of south one",
  "secret of north one",
  "S|0|-|-",
  "E|0|-|L",
  "south|one",
  "north|two",
  "%secret%",
  "%e_",
  "s.1",
]);
const values: Values = {
  String: texts,
  Boolean: ["true", "false"],
  Int: ["0", "1", "2", "7", "9"],
  bigint: ["64510", "64511", "65550", "64498", "64504", "0"],
  inet: quoted(["192.0.2.0/24", "192.0.2.128/25", "198.51.100.0/24", "198.51.100.128/25", "203.0.113.0/24"]),
  timestamp: quoted(["2026-01-01T01:00:00", "2026-01-03T01:00:00", "2026-02-01T03:00:00"]),
  json: ["[]", "[[64504, 1]]"],
};

function quoted(texts: readonly string[]): readonly string[] {
  return texts.map((text) => JSON.stringify(text));
}

/** Postgres plans each of a statement's first five runs separately and may then keep one plan. */
const untilSettled = 7;

let world: World;

async function refill(): Promise<void> {
  await world.asOwner(
    "truncate routing.bgp_updates, routing.hijacks, routing.hijack_positions, routing.configured_prefixes, routing.visibility_losses cascade",
    "delete from auth.organisations",
    samePositions,
    fill,
    statistics,
  );
}

/** Positions follow the clock up to this number, and count from there on: each fill gives the same rows the same positions. */
const samePositions =
  "select setval(sequence, 4503599627370496) from unnest('{routing.update_positions, routing.hijack_positions_given}'::regclass[]) sequence";

const statistics = "analyze routing.bgp_updates, routing.hijacks, routing.update_links, routing.configured_prefixes";

beforeAll(async () => {
  // The logs begin before the first rows, so the number of their generation does not depend on the rows.
  world = await World.start(async (database) => {
    await using owner = await database.connect("owner");
    await owner.query("select routing.open_log('updates'), routing.open_log('hijacks')");
  });
});

afterAll(async () => world[Symbol.asyncDispose]());

/** An answer without the order of unordered rows, which may change without revealing anything. */
function settled(reply: string): string {
  const sort = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map((item) => JSON.stringify(sort(item))).toSorted();
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, sort(item)]));
  };
  return JSON.stringify(sort(JSON.parse(reply)));
}

/** All answers to each document over this number of requests. */
async function answers(
  documents: readonly string[],
  { role, organisation }: Pick<Onlooker, "role" | "organisation">,
  times: number,
): Promise<ReadonlyMap<string, string>> {
  const session = sessionOf(role, organisation);
  const found = new Map<string, string>();
  for (const document of documents) {
    const replies = new Set<string>();
    for (let time = 0; time < times; time += 1) {
      const reply = await world.reply(session, document);
      replies.add(document.includes("order_by") ? reply : settled(reply));
    }
    found.set(document, [...replies].join("\n"));
  }
  return found;
}

function differences(before: ReadonlyMap<string, string>, after: ReadonlyMap<string, string>) {
  return [...before]
    .filter(([document, reply]) => after.get(document) !== reply)
    .map(([document, reply]) => ({ document, before: reply, after: after.get(document) }));
}

const named = onlookers.map(
  (onlooker) => [[onlooker.role, onlooker.organisation ?? []].flat().join(" of "), onlooker] as const,
);

describe.each(named)("%s", (_name, onlooker) => {
  const asked = attacks.map((attack) => `query ${attack}`);
  // A role that may not read comments cannot name them either.
  const traps = onlooker.traps.flatMap((pattern) => trapsWith(JSON.stringify(pattern))).map((trap) => `query ${trap}`);
  let random: readonly string[];
  let before: ReadonlyMap<string, string>;

  const all = async () =>
    new Map([
      ...(await answers(asked, onlooker, 1)),
      ...(await answers(random, onlooker, 1)),
      ...(await answers(traps, onlooker, untilSettled)),
    ]);

  beforeAll(async () => {
    await refill();
    const trapped = { ...values, String: [...texts, ...quoted(onlooker.traps)] };
    const made = new RandomDocuments(buildSchema(world.engine.schemaText(onlooker.role)), trapped, 20_260_501);
    random = Array.from({ length: 500 }, () => made.next());
    before = await all();
  });

  afterEach(refill);

  test("is served by many of the documents, while an analyst triggers the traps", async () => {
    const served = [...before.values()].filter((reply) => reply.startsWith('{"data"') && /[1-9]/.test(reply));
    expect(served.length).toBeGreaterThan(100);
    const replies = await answers(traps, { role: "analyst" }, 1);
    for (const pattern of quoted(onlooker.traps)) {
      const failed = [...replies].filter(
        ([document, reply]) => document.includes(pattern) && reply.includes("must not end with escape character"),
      );
      expect(failed.length, pattern).toBeGreaterThan(1);
    }
  });

  test("triggers no trap of hidden rows", () => {
    expect([...before].filter(([, reply]) => reply.includes("escape character"))).toEqual([]);
  });

  test.each(Object.keys(onlooker.changes))("learns nothing of %s", { timeout: 180_000 }, async (change) => {
    await world.asOwner(...(onlooker.changes[change] ?? []), statistics);
    expect(differences(before, await all())).toEqual([]);
  });

  test.each(Object.keys(onlooker.hiddenColumns ?? {}))(
    "learns from %s only that rows changed: they have new positions",
    { timeout: 180_000 },
    async (change) => {
      await world.asOwner(...(onlooker.hiddenColumns?.[change] ?? []), statistics);
      const found = differences(before, await all());
      expect(found.filter(({ document }) => !/\bposition\b/.test(document))).toEqual([]);
      expect(found.length).toBeGreaterThan(0);
    },
  );

  test("a change to visible rows is detected", async () => {
    await world.asOwner("update routing.hijacks set num_peers_seen = 100 where key in ('nv1', 'sv1')");
    expect(differences(before, await answers(asked, onlooker, 1)).length).toBeGreaterThan(0);
  });
});

describe("a role without visible hijacks gets no errors of any hijack", () => {
  const documents = unreadable.map((document) => `query ${document}`);
  const empty = expect.stringMatching(/^\{"data":\{"view_\w+":\[\]\}\}$/) as string;

  test.each([
    ["a viewer, when all are ignored", { role: "viewer" }],
    ["a tenant without any prefix", { role: "tenant", organisation: "example-east" }],
  ])("%s", async (_who, onlooker) => {
    await refill();
    await world.asOwner("update routing.hijacks set ignored = true, active = false", statistics);
    const replies = await answers(documents, onlooker, untilSettled);
    expect([...replies].filter(([, reply]) => reply.includes("errors"))).toEqual([]);
    for (const reply of replies.values()) expect(reply).toEqual(empty);
    const failed = [...(await answers(documents, { role: "analyst" }, 1)).values()].filter((reply) =>
      reply.includes("invalid regular expression"),
    );
    expect(failed.length).toBeGreaterThan(documents.length / 2);
  });
});

describe("known disclosures that the metadata declares", () => {
  beforeEach(refill);

  test("a viewer reads only the keys of ignored hijacks, in hijack_key of updates", async () => {
    const query = `query { view_bgpupdates(where: {hijack_key: {_contains: ["ni1"]}}, order_by: {timestamp: asc}) { timestamp hijack_key hijack_links(order_by: {hijack_key: asc}) { hijack_key hijack { key } } } }`;
    expect(JSON.parse(await world.reply(sessionOf("viewer"), query))).toEqual({
      data: {
        view_bgpupdates: [
          { timestamp: "2026-02-01T01:00:00", hijack_key: ["ni1"], hijack_links: [] },
          {
            timestamp: "2026-02-01T07:00:00",
            hijack_key: ["ni1", "nv1"],
            hijack_links: [{ hijack_key: "nv1", hijack: { key: "nv1" } }],
          },
          {
            timestamp: "2026-02-01T11:00:00",
            hijack_key: ["sv1", "nv1", "ni1"],
            hijack_links: [
              { hijack_key: "nv1", hijack: { key: "nv1" } },
              { hijack_key: "sv1", hijack: { key: "sv1" } },
            ],
          },
        ],
      },
    });
  });

  test("a tenant reads only the key of another's hijack, in a shared update", async () => {
    const query =
      'query { view_bgpupdates(where: {hijack_key: {_contains: ["si1"]}}, order_by: {timestamp: asc}) { service hijack_key hijack_links { hijack_key hijack { key } } } }';
    expect(JSON.parse(await world.reply(sessionOf("tenant", north), query))).toEqual({
      data: {
        view_bgpupdates: [
          {
            service: "north|five",
            hijack_key: ["nv1", "sv1", "si1"],
            hijack_links: [{ hijack_key: "nv1", hijack: { key: "nv1" } }],
          },
        ],
      },
    });
    expect(await world.reply(sessionOf("tenant", south), query)).not.toMatch(/north|nv1/);
  });
});
