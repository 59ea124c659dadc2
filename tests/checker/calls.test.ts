import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { examinable, readProject } from "hasura-checks/metadata/project";
import type { GivenArguments } from "hasura-checks/permissions/observe/calls";
import { Verdicts } from "hasura-checks/permissions/report/report";
import { Subject } from "hasura-checks/permissions/observe/subject";
import { verify } from "hasura-checks/permissions/verify";
import { library, startLibrary } from "../engine/support/native-library.ts";
import { sourceAt } from "../engine/support/source.ts";
import type { StartedDatabaseContainer } from "../harness/containers/database-container.ts";

/** `routeql permissions` on native queries and functions: finds differences from the declaration, and reports objects that it cannot examine. */

const generous = 300_000;

const functionsSql = `
  create function public.own_articles(session json) returns setof public.article language sql stable as
    $$ select * from public.article where session ->> 'x-hasura-role' = 'author' and session ->> 'x-hasura-user-id' <> '' $$;
  create function public.newest_article() returns public.article language sql stable as $$ select * from public.article order by id desc limit 1 $$;
  create function public.articles_longer(than int, "of" text default '') returns setof public.article language sql stable as $$ select * from public.article where length(content) > than $$;`;

let database: StartedDatabaseContainer;
let folder: string;

beforeAll(async () => {
  database = await startLibrary();
  await using admin = await database.connect("bootstrap");
  await admin.query(functionsSql);
  folder = mkdtempSync(join(tmpdir(), "routeql-calls-"));
});

afterAll(async () => {
  rmSync(folder, { recursive: true, force: true });
  await database[Symbol.asyncDispose]();
});

const articles = {
  table: "article",
  select_permissions: [
    {
      role: "author",
      permission: {
        columns: ["id", "title"],
        filter: { author_id: { _eq: "X-Hasura-User-Id" } },
        limit: 5,
        allow_aggregations: true,
      },
    },
  ],
};

type Declared = Omit<typeof library, "tables"> & {
  tables: { table: string; select_permissions?: { permission: { filter: object } }[] }[];
  functions: object[];
};

/** The library with functions. Its metadata is written for each use, so that a fault can change it. */
function declared(): Declared {
  const contents = structuredClone({
    ...library,
    tables: [...library.tables.slice(0, 1), articles],
    functions: [
      { function: "own_articles", configuration: { session_argument: "session" } },
      { function: "newest_article" },
      { function: "articles_longer" },
    ],
  });
  // More rows than are served at once.
  permissionOf(contents, "reader").limit = 1;
  return contents;
}

const metadataOf = (contents: object) => ({
  version: 3,
  sources: [{ ...sourceAt(database.getConnectionUri("bootstrap"), { tables: [] }), ...contents }],
});

/** Findings about a faulty engine, and the number of checks. */
async function findings(contents: Declared, served: Declared = contents, given: GivenArguments = {}) {
  writeFileSync(join(folder, "metadata.json"), JSON.stringify(metadataOf(contents)));
  const project = examinable(readProject("metadata.json", folder), "of the library");
  await using subject = await Subject.open(project, database.getConnectionUri("bootstrap"), {
    inferFunctionPermissions: true,
    statementTimeout: 30_000,
    served: metadataOf(served),
  });
  const verdicts = new Verdicts(project);
  await verify(subject, verdicts, { rolesWithoutPermission: [], sessions: {}, arguments: given, most: 200 });
  return {
    counts: verdicts.counts,
    found: verdicts.findings.map(({ rule, role, name, reason }) => ({ rule, role, name, reason })),
  };
}

test("examines native queries and functions completely if served as declared", { timeout: generous }, async () => {
  const { found, counts } = await findings(declared());
  expect(found).toEqual([]);
  for (const kind of ["rows", "limit", "relationships", "sessions", "hidden-rows", "aggregates"] as const)
    expect(counts[kind], kind).toBeGreaterThan(8);
});

/** The permission of a role on a logical model of the library. */
function permissionOf({ logical_models: models }: Pick<Declared, "logical_models">, role: string) {
  const permissions = models.flatMap(
    ({ select_permissions: each }): readonly { role: string; permission: object }[] => each ?? [],
  );
  const found = permissions.find((each) => each.role === role)?.permission;
  if (found === undefined) throw new Error(`there is no permission of ${role}`);
  return found as { columns: string | string[]; filter: object; limit?: number };
}

const serve = (change: (served: Declared) => void) => {
  const served = declared();
  change(served);
  return served;
};

const faults: readonly (readonly [what: string, rule: string, field: string, change: (served: Declared) => void])[] = [
  [
    "more rows of a native query",
    "rows",
    "excerpts",
    (served) => {
      permissionOf(served, "reader").filter = {};
    },
  ],
  [
    "fewer rows of a native query",
    "rows",
    "excerpts",
    (served) => {
      permissionOf(served, "reader").filter = { id: { _eq: 1 } };
    },
  ],
  [
    "a longer list of a native query",
    "limit",
    "excerpts",
    (served) => {
      permissionOf(served, "reader").limit = 2;
    },
  ],
  [
    "a native query's rows in every session",
    "sessions",
    "excerpts",
    (served) => {
      permissionOf(served, "author").filter = { author_id: { _gt: 0 } };
    },
  ],
  [
    "other values of a native query's columns",
    "rows",
    "excerpts",
    (served) => {
      const [query] = served.native_queries;
      if (query !== undefined) query.code = query.code.replace("'...'", "'more'");
    },
  ],
  [
    "hidden rows through a relationship to a native query",
    "relationships",
    "excerpts",
    (served) => {
      permissionOf(served, "reader").filter = { published: { _eq: false } };
    },
  ],
  [
    "hidden rows through a native query's relationship to a table",
    "relationships",
    "author",
    (served) => {
      const [author] = served.tables;
      if (author?.select_permissions?.[0] !== undefined) author.select_permissions[0].permission.filter = {};
    },
  ],
];

describe("are found:", () => {
  test.each(faults)("%s", { timeout: generous }, async (_what, rule, field, change) => {
    const { found } = await findings(declared(), serve(change));
    expect(found.filter((each) => each.rule === rule && each.name === field)).not.toEqual([]);
  });

  test.each(["own_articles", "newest_article", "articles_longer"])(
    "rows of the function %s that the table's filter hides",
    { timeout: generous },
    async (name) => {
      const served = serve(({ tables: [, article] }) => {
        if (article?.select_permissions?.[0] !== undefined) article.select_permissions[0].permission.filter = {};
      });
      const { found } = await findings(declared(), served);
      expect(found.filter((each) => each.role === "author" && each.name === name)).not.toEqual([]);
    },
  );
});

describe("rows that cannot be verified are reported", () => {
  const native = (code: string, args: object = {}) => {
    const contents = declared();
    const [excerpts] = contents.native_queries;
    const odd = {
      root_field_name: "odd",
      code,
      arguments: args,
      returns: {
        fields: [{ name: "id", type: "int" }],
        select_permissions: [{ role: "reader", permission: { columns: ["id"], filter: {} } }],
      },
    };
    return { ...contents, native_queries: [...(excerpts === undefined ? [] : contents.native_queries), odd as never] };
  };
  const said = (reason: string) => [
    {
      rule: "not-verified",
      role: "reader",
      name: "odd",
      reason: `the rows of odd that reader is served: ${reason}; set its arguments in hasura-checks.yaml`,
    },
  ];

  test("if they differ each time", { timeout: generous }, async () => {
    expect((await findings(native("select (random() * 1e9)::int as id"))).found).toEqual(
      said("it returns other rows each time"),
    );
  });

  test("if no guessed argument returns any, unless the configuration has others", { timeout: generous }, async () => {
    const contents = native("select id from article where title = {{title}}", { title: { type: "text" } });
    expect((await findings(contents)).found).toEqual(said('with (args: {title: ""}) it returns no rows'));
    expect((await findings(contents, contents, { odd: [{ title: "Dogs" }] })).found).toEqual([]);
  });

  test("if the type of an argument has no known values", { timeout: generous }, async () => {
    const contents = native("select id from article where {{place}} is not null", { place: { type: "point" } });
    expect((await findings(contents)).found).toEqual(said("the type of an argument has no known values"));
  });

  test("if Postgres fails with the arguments", { timeout: generous }, async () => {
    expect((await findings(native("select 1 / ({{n}} - {{n}}) as id", { n: { type: "int" } }))).found).toEqual(
      said("with (args: {n: 1}) division by zero"),
    );
  });
});
