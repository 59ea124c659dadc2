import { expect, test } from "vitest";
import { readCatalog } from "@routeql/metadata/catalog/catalog";
import { catalogAnswer } from "@routeql/metadata/testing/catalog";
import { examinable, readProject } from "../metadata/project.ts";
import { MetadataFolder, tableFile } from "../testing/tool.ts";
import { standingFindings } from "./lint.ts";

test("the base can have a table without primary key, but no secret column of a later migration", async () => {
  using folder = new MetadataFolder([
    tableFile("note", 'columns: "*"\nfilter: {owner: {_eq: X-Hasura-User-Id}}\nlimit: 1'),
  ]);
  const base = examinable(readProject("metadata", folder.path), "of the base");
  const answer = catalogAnswer({ note: { columns: { id: "int4 not null", owner: "text", password: "text" } } });
  const names = [{ schema: "public", name: "note" }];
  const catalog = await readCatalog({ tables: names, functions: [], enumTables: [] }, () => Promise.resolve(answer));
  const configuration = { sessionVariables: undefined, inferFunctionPermissions: true, unauthorizedRole: undefined };
  const found = (catalogs?: readonly (typeof catalog)[]) =>
    standingFindings(base, catalogs, configuration, false).map(({ rule, table }) => [rule, table]);
  expect(found([catalog])).toEqual([
    ["all-columns", "public.note"],
    ["no-primary-key", "public.note"],
  ]);
  expect(found()).toEqual([["all-columns", "public.note"]]);
});
