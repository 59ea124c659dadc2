import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { query, type Engine } from "@routeql/engine";
import type { StartedDatabaseContainer } from "../harness/containers/database-container.ts";
import { engineOn, startLibrary } from "./support/native-library.ts";
import { sessionOf } from "./support/routing.ts";

let database: StartedDatabaseContainer;
let engine: Engine;

beforeAll(async () => {
  database = await startLibrary();
  engine = await engineOn(database);
});

afterAll(async () => {
  await engine.close();
  await database.stop();
});

const ask = (
  role: string,
  document: string,
  variables?: Record<string, unknown>,
  session: Record<string, string> = {},
) => query(engine, role, session, document, variables);

describe("a native query", () => {
  test("gets its arguments from the request, for each use in its code", async () => {
    expect(await ask("admin", "{ excerpts(args: {length: 6}, order_by: {id: asc}) { id excerpt } }")).toEqual({
      excerpts: [
        { id: 1, excerpt: "I like..." },
        { id: 2, excerpt: "I like..." },
        { id: 3, excerpt: "I do n..." },
      ],
    });
    expect(
      await ask(
        "admin",
        "query($n: Int!) { a: excerpts(args: {length: $n}, limit: 1, order_by: {id: asc}) { excerpt } b: excerpts(args: {length: 1}, where: {id: {_eq: 3}}) { excerpt } }",
        { n: 2 },
      ),
    ).toEqual({ a: [{ excerpt: "I ..." }], b: [{ excerpt: "I..." }] });
  });

  test.each(["it's", '"quoted"', "{{word}}", "$1", "'; DROP TABLE article; --", "\\", "/* */", "é\u{1F600}"])(
    "returns %s unchanged, as a literal and as a variable",
    async (word) => {
      expect(await ask("admin", `{ echo(args: {word: ${JSON.stringify(word)}}) { word } }`)).toEqual({
        echo: [{ word }],
      });
      expect(await ask("admin", "query($word: String) { echo(args: {word: $word}) { word } }", { word })).toEqual({
        echo: [{ word }],
      });
    },
  );

  test("accepts null for nullable arguments, and omits them", async () => {
    const all = { word: null, number: null, mood: null };
    expect(await ask("admin", "{ echo(args: {}) { word number mood } }")).toEqual({ echo: [all] });
    expect(
      await ask("admin", "query($n: bigint) { echo(args: {word: null, number: $n}) { word number mood } }", {
        n: null,
      }),
    ).toEqual({ echo: [all] });
    const number = await engine.execute(
      { query: '{ echo(args: {number: 9007199254740993, mood: "calm"}) { number mood } }' },
      sessionOf("admin"),
    );
    expect(number).toBe('{"data":{"echo":[{"number":9007199254740993,"mood":"calm"}]}}');
  });

  test.each([
    ["{ excerpts { id } }", "$.selectionSet.excerpts.args.args", "missing required field 'args'"],
    ["{ excerpts(args: {}) { id } }", "$.selectionSet.excerpts.args.args.length", "missing required field 'length'"],
    [
      "{ excerpts(args: {length: null}) { id } }",
      "$.selectionSet.excerpts.args.args.length",
      "unexpected null value for type 'Int'",
    ],
    [
      "{ excerpts(args: {size: 1, length: 1}) { id } }",
      "$.selectionSet.excerpts.args.args.size",
      "field 'size' not found in type: 'excerpts_arguments'",
    ],
    [
      "{ GREETINGS_aggregate { aggregate { count } } }",
      "$.selectionSet.GREETINGS_aggregate",
      "field 'GREETINGS_aggregate' not found in type: 'query_root'",
    ],
  ])("refuses %s", async (document, path, message) => {
    await expect(ask("admin", document)).rejects.toMatchObject({ code: "validation-failed", path, message });
  });

  test("reports Postgres' error about a rejected value", async () => {
    await expect(ask("admin", '{ echo(args: {mood: "glad"}) { mood } }')).rejects.toMatchObject({
      code: "data-exception",
      message: 'invalid input value for enum mood: "glad"',
    });
  });

  test("can group by an expression of an argument", async () => {
    expect(
      await ask(
        "admin",
        "query($p: String!) { lengths(args: {prefix: $p}, order_by: {length: asc}) { length articles } }",
        { p: "xx" },
      ),
    ).toEqual({
      lengths: [
        { length: 6, articles: 2 },
        { length: 7, articles: 1 },
      ],
    });
  });

  test("supports filter, order, limit and distinct like a table", async () => {
    expect(
      await ask(
        "admin",
        '{ GREETINGS(where: {_or: [{two: {_ilike: "W%"}}, {one: {_eq: "welcome"}}]}, order_by: {two: desc}) { two } }',
      ),
    ).toEqual({ GREETINGS: [{ two: "world" }, { two: "guest" }] });
    expect(
      await ask(
        "admin",
        "{ GREETINGS(distinct_on: [one], order_by: [{one: asc}, {two: asc}], limit: 1, offset: 0) { one two __typename } }",
      ),
    ).toEqual({ GREETINGS: [{ one: "hello", two: "friend", __typename: "greeting" }] });
    expect(
      await ask(
        "admin",
        '{ excerpts(args: {length: 1}, where: {facts: {_has_key: "legs"}}, order_by: {id: asc}) { legs: facts(path: "legs") } }',
      ),
    ).toEqual({ excerpts: [{ legs: 4 }, { legs: 2 }] });
  });

  test("shows its SQL, with the code in a WITH and without values", async () => {
    const explained = await engine.explain({ query: '{ echo(args: {word: "hidden"}) { word } }' }, sessionOf("admin"));
    const [field] = Array.isArray(explained) ? (explained as readonly { sql: string }[]) : [];
    expect(field?.sql).toMatch(/\(WITH "echo" AS \(SELECT \(\$\d::text\) AS word, .*\n\) SELECT \* FROM "echo"\)/);
    expect(field?.sql).not.toContain("hidden");
  });
});

describe("relationships", () => {
  test("lead from native queries to tables and to native queries, and from tables to them", async () => {
    expect(
      await ask(
        "admin",
        "{ excerpts(args: {length: 1}, where: {id: {_gt: 1}}, order_by: {id: asc}) { id author { name } writer { name written(args: {length: 2}, order_by: {id: desc}) { id excerpt } } } }",
      ),
    ).toEqual({
      excerpts: [
        {
          id: 2,
          author: { name: "Ada" },
          writer: {
            name: "Ada",
            written: [
              { id: 2, excerpt: "I ..." },
              { id: 1, excerpt: "I ..." },
            ],
          },
        },
        { id: 3, author: { name: "Bea" }, writer: { name: "Bea", written: [{ id: 3, excerpt: "I ..." }] } },
      ],
    });
    expect(
      await ask(
        "admin",
        "query($n: Int!) { author(order_by: {id: asc}) { name short: excerpts(args: {length: $n}, limit: 1, order_by: {id: asc}) { excerpt } long: excerpts(args: {length: 99}, where: {id: {_eq: 3}}) { excerpt } } }",
        { n: 1 },
      ),
    ).toEqual({
      author: [
        { name: "Ada", short: [{ excerpt: "I..." }], long: [] },
        { name: "Bea", short: [{ excerpt: "I..." }], long: [{ excerpt: "I do not eat" }] },
      ],
    });
  });

  test("follow the permissions of their target", async () => {
    expect(
      await ask(
        "reader",
        "{ excerpts(args: {length: 1}, order_by: {id: asc}) { id author { name } writer { name written(args: {length: 1}, order_by: {id: asc}) { id } } } }",
      ),
    ).toEqual({
      excerpts: [
        { id: 1, author: { name: "Ada" }, writer: { name: "Ada", written: [{ id: 1 }] } },
        { id: 3, author: null, writer: { name: "Bea", written: [{ id: 3 }] } },
      ],
    });
    expect(await ask("reader", "{ author { id excerpts(args: {length: 1}) { id } } }")).toEqual({
      author: [{ id: 1, excerpts: [{ id: 1 }] }],
    });
    await expect(
      ask("author", "{ excerpts(args: {length: 1}) { writer { name } } }", {}, { "x-hasura-user-id": "1" }),
    ).rejects.toThrow("field 'writer' not found");
  });

  test("are not available in conditions and orders", async () => {
    await expect(ask("admin", "{ author(where: {excerpts: {id: {_eq: 1}}}) { id } }")).rejects.toThrow(
      "field 'excerpts' not found in type: 'author_bool_exp'",
    );
    await expect(ask("admin", "{ excerpts(args: {length: 1}, order_by: {author: {id: asc}}) { id } }")).rejects.toThrow(
      "field 'author' not found in type: 'excerpt_order_by'",
    );
  });
});

describe("permissions of a logical model", () => {
  test("filter rows by the session for any request", async () => {
    expect(
      await ask(
        "author",
        '{ excerpts(args: {length: 1}, where: {_or: [{id: {_gt: 0}}, {title: {_eq: "Birds"}}]}, order_by: {id: asc}) { id } }',
        {},
        { "x-hasura-user-id": "1" },
      ),
    ).toEqual({ excerpts: [{ id: 1 }, { id: 2 }] });
    await expect(ask("author", "{ excerpts(args: {length: 1}) { id } }")).rejects.toMatchObject({
      code: "not-found",
      message: 'missing session variable: "x-hasura-user-id"',
    });
  });

  test("limit the rows", async () => {
    expect(await ask("admin", "{ excerpts(args: {length: 1}) { id } }")).toMatchObject({ excerpts: { length: 3 } });
    expect(await ask("reader", "{ excerpts(args: {length: 1}, limit: 50) { id } }")).toMatchObject({
      excerpts: { length: 2 },
    });
    expect(await ask("reader", "{ excerpts(args: {length: 1}, limit: 1) { id } }")).toMatchObject({
      excerpts: { length: 1 },
    });
  });

  test.each([
    ["selected", "{ excerpts(args: {length: 1}) { author_id } }"],
    ["filtered by", "{ excerpts(args: {length: 1}, where: {published: {_eq: false}}) { id } }"],
    ["ordered by", "{ excerpts(args: {length: 1}, order_by: {published: asc}) { id } }"],
    ["made distinct by", "{ excerpts(args: {length: 1}, distinct_on: published) { id } }"],
  ])("hide columns: they cannot be %s", async (_how, document) => {
    await expect(ask("reader", document)).rejects.toMatchObject({ code: "validation-failed" });
  });

  test("apply to a native query's inline logical model", async () => {
    expect(
      await ask("reader", '{ a: echo(args: {word: "open"}) { word } b: echo(args: {word: "secret"}) { word } }'),
    ).toEqual({ a: [{ word: "open" }], b: [] });
    await expect(ask("reader", "{ echo(args: {}) { number } }")).rejects.toThrow(
      "field 'number' not found in type: 'echo'",
    );
  });

  test("hide a native query from roles without one", async () => {
    await expect(ask("reader", "{ GREETINGS { one } }")).rejects.toThrow(
      "field 'GREETINGS' not found in type: 'query_root'",
    );
    expect(engine.schemaText("titles")).not.toMatch(/writer|GREETINGS|echo|author/);
    expect(engine.schemaText("stranger")).not.toContain("excerpt");
  });

  test("are combined in inherited roles: rows of either, cells only in permitted rows", async () => {
    expect(
      await ask(
        "both",
        "{ excerpts(args: {length: 1}, order_by: {id: asc}) { id author_id title } }",
        {},
        { "x-hasura-user-id": "1" },
      ),
    ).toEqual({
      excerpts: [
        { id: 1, author_id: 1, title: "Dogs" },
        { id: 2, author_id: 1, title: "Cats" },
      ],
    });
    expect(
      await ask(
        "both",
        "{ excerpts(args: {length: 1}, order_by: {id: desc}, limit: 1) { id author_id title } }",
        {},
        { "x-hasura-user-id": "1" },
      ),
    ).toEqual({ excerpts: [{ id: 3, author_id: null, title: "Birds" }] });
  });

  test("do not reveal hidden rows by errors of a condition", async () => {
    expect(await ask("reader", '{ echo(args: {word: "secret"}, where: {word: {_similar: "\\\\"}}) { word } }')).toEqual(
      { echo: [] },
    );
  });
});

describe("live queries", () => {
  const document =
    "subscription($n: Int!) { excerpts(args: {length: $n}, order_by: {id: asc}, limit: 1) { id excerpt } }";

  test("of different arguments share one statement, and follow changes", async () => {
    const prepared = [1, 2, 3].map((n) =>
      engine.prepareSubscription({ query: document, variables: { n } }, sessionOf("reader")),
    );
    const key = prepared[0]?.cohortKey ?? "";
    expect(new Set(prepared.map(({ cohortKey }) => cohortKey)).size).toBe(1);
    const poll = async () =>
      (
        await engine.poll(
          key,
          prepared.map(({ parameters }) => parameters),
        )
      ).map(
        ({ text }) => (JSON.parse(text) as { data: { excerpts: { excerpt: string }[] } }).data.excerpts[0]?.excerpt,
      );
    expect(await poll()).toEqual(["I...", "I ...", "I l..."]);
    await using admin = await database.connect("bootstrap");
    await admin.query("update public.article set content = 'Other words' where id = 1");
    expect(await poll()).toEqual(["O...", "Ot...", "Oth..."]);
    await admin.query("update public.article set content = 'I like to eat dog food' where id = 1");
  });

  test("keep each member's session", async () => {
    const query = "subscription { excerpts(args: {length: 1}, order_by: {id: asc}) { id } }";
    const members = ["1", "2"].map((user) =>
      engine.prepareSubscription({ query }, sessionOf("author", { "x-hasura-user-id": user })),
    );
    const answers = await engine.poll(
      members[0]?.cohortKey ?? "",
      members.map(({ parameters }) => parameters),
    );
    expect(answers.map(({ text }) => JSON.parse(text) as unknown)).toEqual([
      { data: { excerpts: [{ id: 1 }, { id: 2 }] } },
      { data: { excerpts: [{ id: 3 }] } },
    ]);
  });

  test("exist without streams", () => {
    expect(engine.schemaText("admin")).not.toContain("excerpts_stream");
  });
});
