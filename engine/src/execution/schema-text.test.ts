import { buildSchema } from "graphql";
import { expect, test } from "vitest";
import { schemaText, UnknownRole } from "./schema-text.ts";
import { catalogAnswer } from "@routeql/metadata/testing/catalog";
import { library, metadataOf } from "../testing/world.ts";

const metadata = metadataOf(library);
const ask = () => Promise.resolve(catalogAnswer(library.tables, library.functions));

test("a role's schema is SDL with only the objects that the role may see", async () => {
  const text = await schemaText({ metadata, role: "reader", ask });
  expect(Object.keys(buildSchema(text).getQueryType()?.getFields() ?? {})).toEqual([
    "article",
    "article_by_pk",
    "author",
    "author_by_pk",
    "search_articles",
  ]);
  expect(text).not.toContain("email");
  expect(text).not.toContain("secret");
  expect(await schemaText({ metadata, role: "admin", ask })).toContain("email");
});

test("its order is independent of the order in metadata or database", async () => {
  const {
    sources: [source],
    ...rest
  } = metadata;
  const turned = { ...rest, sources: [{ ...source, tables: source?.tables.toReversed() }] };
  const tables = Object.fromEntries(
    Object.entries(library.tables)
      .toReversed()
      .map(([name, table]) => [
        name,
        { ...table, columns: Object.fromEntries(Object.entries(table.columns).toReversed()) },
      ]),
  );
  const other = () => Promise.resolve(catalogAnswer(tables, library.functions));
  for (const role of ["admin", "reader", "counter", "self"]) {
    expect(await schemaText({ metadata: turned, role, ask: other })).toBe(await schemaText({ metadata, role, ask }));
  }
});

test("rejects an undefined role and lists the defined ones", async () => {
  const refused = schemaText({ metadata, role: "reeder", ask });
  await expect(refused).rejects.toThrow(UnknownRole);
  await expect(refused).rejects.toMatchObject({ roles: ["admin", "counter", "reader", "self"] });
});
