import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Session } from "@routeql/engine";
import { demoRows, north, sessionOf, south, World } from "./support/world.ts";

let world: World;

beforeAll(async () => {
  world = await World.start(async (database) => {
    await demoRows(database);
    await using owner = await database.connect("owner");
    await owner.query(
      "insert into auth.organisations (id, name) values ('null', 'Called null'), ('%', 'Called percent'), ('{a,b}', 'Called list')",
    );
  });
});

afterAll(async () => world[Symbol.asyncDispose]());

const roots = [
  "view_bgpupdates { prefix }",
  "view_hijacks { key }",
  "view_bgpupdates_hijacks { hijack_key }",
  "view_bgpupdates_aggregate { aggregate { count } nodes { prefix } }",
  "view_hijacks_aggregate { aggregate { count } nodes { key } }",
  "view_bgpupdates_hijacks_aggregate { aggregate { count } nodes { hijack_key } }",
];
const streams = [
  'view_bgpupdates_stream(batch_size: 10, cursor: {initial_value: {timestamp: "2000-01-01"}}) { prefix }',
  'view_hijacks_stream(batch_size: 10, cursor: {initial_value: {key: ""}}) { key }',
  'view_bgpupdates_hijacks_stream(batch_size: 10, cursor: {initial_value: {hijack_key: ""}}) { hijack_key }',
];
const documents = [
  ...roots.map((root) => `query { ${root} }`),
  ...[...roots, ...streams].map((root) => `subscription { ${root} }`),
];

/** Only empty lists and zero counts. */
const isEmpty = (reply: string) =>
  reply.startsWith('{"data":') && !/"(prefix|key|hijack_key)":/.test(reply) && !/"count":[^0]/.test(reply);

test("with its organisation a tenant is served by every one of these documents", async () => {
  for (const document of documents) {
    for (const organisation of [north, south])
      expect(isEmpty(await world.reply(sessionOf("tenant", organisation), document)), document).toBe(false);
  }
});

describe("without an organisation a tenant gets an error, never rows", () => {
  const sessions: readonly (readonly [string, Session])[] = [
    ["no variable at all", sessionOf("tenant")],
    ["a variable of another name", { ...sessionOf("tenant"), variables: new Map([["x-hasura-org", north]]) }],
    [
      "a name in capitals, which no client produces",
      { ...sessionOf("tenant"), variables: new Map([["X-Hasura-Org-Id", north]]) },
    ],
    ["only a user", { ...sessionOf("tenant"), variables: new Map([["x-hasura-user-id", north]]) }],
  ];

  test.each(sessions)("%s", async (_what, session) => {
    for (const document of documents) {
      const { errors } = JSON.parse(await world.reply(session, document)) as { errors?: unknown };
      expect(errors, document).toEqual([
        { message: 'missing session variable: "x-hasura-org-id"', extensions: { path: "$", code: "not-found" } },
      ]);
    }
  });

  test("nor does a variable of the request replace it", async () => {
    const query =
      'query($organisation: String = "example-north") { view_hijacks(where: {key: {_neq: $organisation}}) { key } }';
    expect(await world.reply(sessionOf("tenant"), query, { organisation: north })).toContain(
      "missing session variable",
    );
    for (const name of ["x-hasura-org-id", "X-Hasura-Org-Id"]) {
      expect(await world.reply(sessionOf("tenant"), query, { [name]: north })).toContain(
        `unexpected variables in variableValues: ${name}`,
      );
    }
  });
});

describe("an organisation that owns nothing sees nothing", () => {
  const hostile: readonly (readonly [string, string])[] = [
    ["none, as an empty text", ""],
    ["a foreign one", "example-east"],
    ["one called null, while prefixes without an owner exist", "null"],
    ["one called NULL", "NULL"],
    ["one called percent", "%"],
    ["one called like a list", "{a,b}"],
    ["both organisations as a list of Postgres", `{${north},${south}}`],
    ["both organisations as JSON", JSON.stringify([north, south])],
    ["both organisations with a comma", `${north},${south}`],
    ["JSON that compares", '{"_neq":""}'],
    ["JSON's null", '{"_is_null":true}'],
    ["quotes that end a text", `' or '1'='1`],
    ["quotes that end a text, and a comment", `${north}' --`],
    ["a dollar quote", `$$${north}$$`],
    ["a parameter's place", "$1"],
    ["the engine's own marker around a parameter", "\u00011\u0001"],
    ["a cast", `${north}::text`],
    ["a statement", `'; drop view view_hijacks; --`],
    ["a backslash", `${north}\\`],
    ["another case", north.toUpperCase()],
    ["a space before", ` ${north}`],
    ["a space after", `${north} `],
    ["a line break after", `${north}\n`],
    ["a pattern", "example-%"],
    ["a regular expression", "example-.*"],
    ["an invisible character", `${north}\u200b`],
    ["a letter that looks alike", north.replace("e", "е")],
    ["half of a surrogate pair", `${north}\ud800`],
    ["a name of a session variable", "X-Hasura-Org-Id"],
    ["a megabyte", north.repeat(80_000)],
  ];

  test.each(hostile)("%s", async (_what, organisation) => {
    for (const document of documents) {
      const reply = await world.reply(sessionOf("tenant", organisation), document);
      expect(isEmpty(reply), `${document}: ${reply.slice(0, 300)}`).toBe(true);
    }
  });

  test("a null byte, which no text of Postgres holds, is an error", async () => {
    for (const organisation of ["\0", `${north}\0`, `\0${north}`, `${north}\0${south}`]) {
      for (const document of documents) {
        const reply = await world.reply(sessionOf("tenant", organisation), document);
        expect(JSON.parse(reply), document).toMatchObject({
          errors: [
            {
              // As in Hasura, a live query hides a wrong session variable.
              message: document.startsWith("subscription")
                ? "database query error"
                : 'invalid byte sequence for encoding "UTF8": 0x00',
            },
          ],
        });
      }
    }
  });
});

describe("one tenant's session is never another's", () => {
  const document = "query { view_hijacks(order_by: {key: asc}) { key comment } }";

  test("even for concurrent equal queries over the same connections", async () => {
    const own = new Map(
      await Promise.all(
        [north, south].map(async (id) => [id, await world.reply(sessionOf("tenant", id), document)] as const),
      ),
    );
    expect(own.get(north)).not.toBe(own.get(south));
    const asked = Array.from({ length: 200 }, (_none, index) => (index % 3 === 0 ? north : south));
    const replies = await Promise.all(asked.map((id) => world.reply(sessionOf("tenant", id), document)));
    expect(replies).toEqual(asked.map((id) => own.get(id)));
  });

  test("isolates sessions when one statement answers all live queries of a cohort", async () => {
    const query = "subscription { view_hijacks(order_by: {key: asc}) { key comment } }";
    const members = [north, "example-east", south, north, "", `{${north}}`].map(
      (id) => [id, world.engine.prepareSubscription({ query }, sessionOf("tenant", id))] as const,
    );
    expect(new Set(members.map(([, { cohortKey }]) => cohortKey)).size).toBe(1);
    const answers = await world.engine.poll(
      members[0]?.[1].cohortKey ?? "",
      members.map(([, { parameters }]) => parameters),
    );
    for (const [index, [id]] of members.entries())
      expect(answers[index]?.text).toBe(
        await world.reply(sessionOf("tenant", id), query.replace("subscription", "query")),
      );
  });

  test("and a null byte of one member does not affect the others", async () => {
    const query = "subscription { view_hijacks(order_by: {key: asc}) { key } }";
    const members = [north, `${north}\0`, south].map((id) =>
      world.engine.prepareSubscription({ query }, sessionOf("tenant", id)),
    );
    const answers = await world.engine.poll(
      members[0]?.cohortKey ?? "",
      members.map(({ parameters }) => parameters),
    );
    expect(answers.map(({ failed }) => failed)).toEqual([false, true, false]);
  });

  test("a role's plan is never used for another role, with any session variables", async () => {
    const query = "query { view_hijacks(order_by: {key: asc}) { key } }";
    const replies = new Map<string, string>();
    for (const role of ["analyst", "viewer", "tenant", "operator", "pending"])
      replies.set(role, await world.reply(sessionOf(role, north), query));
    for (const role of ["pending", "operator", "tenant", "viewer", "analyst"])
      expect(await world.reply(sessionOf(role, north), query)).toBe(replies.get(role));
    expect(replies.get("analyst")).toBe(replies.get("operator"));
    expect(new Set(replies.values()).size).toBe(4);
  });

  test.each(["Viewer", "viewer ", "viewer\0", "", "*", "viewer,operator", "{operator}", "__proto__", "constructor"])(
    "the role %j does not exist",
    async (role) => {
      expect(await world.reply(sessionOf(role, north), "query { view_hijacks { key } }")).toContain(
        "field 'view_hijacks' not found in type: 'query_root'",
      );
    },
  );
});
