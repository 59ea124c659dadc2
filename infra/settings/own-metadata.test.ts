import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { loadMetadata } from "@routeql/metadata/read/load";
import { validateMetadata } from "@routeql/metadata/read/validate";
import { afterEach, beforeEach, expect, test } from "vitest";
import { ownMetadata, withOwnMetadata } from "./own-metadata.ts";

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "routeql-own-"));
  cpSync(resolve(import.meta.dirname, "../../docs/start/desk"), folder, { recursive: true });
});
afterEach(() => rmSync(folder, { recursive: true }));

const edit = (from: string, to: string): void => {
  const file = join(folder, "databases/databases.yaml");
  writeFileSync(file, readFileSync(file, "utf8").replace(from, to));
};

test("joins a role and a relationship to the kit's metadata", () => {
  expect(ownMetadata.check(folder)).toBeUndefined();
  const { metadata, problems } = validateMetadata(
    loadMetadata(JSON.parse(withOwnMetadata(folder)) as Record<string, unknown>),
    { allowUnsupported: false },
  );
  expect(problems).toEqual([]);
  const tables = metadata?.sources[0]?.tables ?? [];
  const rolesOf = (name: string) =>
    tables.find(({ table }) => table.name === name)?.select_permissions?.map(({ role }) => role);
  expect(rolesOf("view_hijacks")).toEqual(["analyst", "operator", "tenant", "viewer", "desk"]);
  expect(rolesOf("view_bgpupdates")).toEqual(["analyst", "operator", "tenant", "viewer"]);
  expect(tables).toHaveLength(4);
});

test("rejects a relationship to a table that is not tracked, and names both", () => {
  edit("remote_table: { schema: public, name: view_hijacks }", "remote_table: { schema: public, name: absent }");
  expect(ownMetadata.check(folder)).toMatch(/^is invalid: .*same_prefix.*absent/);
});

test("rejects a misspelt key", () => {
  edit("            limit: 100", "            limt: 100");
  expect(ownMetadata.check(folder)).toMatch(/^is invalid: .*limt/);
});

test("rejects a folder that is no metadata directory", () => {
  expect(ownMetadata.check(join(folder, "databases"))).toMatch(/^is invalid: version\.yaml: this file is missing/);
  expect(ownMetadata.check(join(folder, "none"))).toBe("is not a folder");
});
