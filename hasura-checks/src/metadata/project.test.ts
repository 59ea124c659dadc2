import { expect, test } from "vitest";
import { catalogAnswer } from "@routeql/metadata/testing/catalog";
import { unknownPart } from "../rules/inheritance.ts";
import { MetadataFolder } from "../testing/tool.ts";
import { stateOn } from "./database.ts";
import { eachSource, ofOneSource, examinable, readProject, unincludedFiles } from "./project.ts";

const source = (name: string, kind: string, role: string) =>
  `- name: ${name}\n  kind: ${kind}\n  configuration: {connection_info: {database_url: {from_env: A}}}\n  tables:\n  - table: {schema: public, name: note}\n    select_permissions:\n    - role: ${role}\n      permission: {columns: [id], filter: {id: {_gt: 0}}, limit: 5}\n`;
const text = () => Promise.resolve(catalogAnswer({ note: { columns: { id: "int4 not null" } } }));

/** Metadata with an inherited role whose contained roles have permissions in two sources. */
function folderOf(kind: string, parts: string): MetadataFolder {
  return new MetadataFolder([], {
    "metadata/databases/databases.yaml": source("crm", "postgres", "seller") + source("billing", kind, "clerk"),
    "metadata/inherited_roles.yaml": `- role_name: manager\n  role_set: [${parts}]\n`,
  });
}

/** Inconsistencies of each source by itself. */
async function unfitOf(kind: string, parts: string, named?: string): Promise<readonly string[]> {
  using folder = folderOf(kind, parts);
  const project = examinable(
    readProject("metadata", folder.path, undefined, (loaded) => ofOneSource(loaded, named)),
    "of the test",
  );
  const states = await Promise.all(eachSource(project).map((each) => stateOn(() => ({ text }), each, true)));
  return states.flatMap(({ inconsistencies }) =>
    inconsistencies.filter(({ kind: why }) => why === "inconsistent").map(({ reason }) => reason),
  );
}

test.each([
  ["of Postgres", "postgres", undefined],
  ["of Postgres, of which one is looked at", "postgres", "crm"],
  ["of which one is no Postgres", "mssql", undefined],
])("an inherited role can contain roles of several sources %s", async (_what, kind, named) => {
  expect(await unfitOf(kind, "seller, clerk", named)).toEqual([]);
  expect(await unfitOf(kind, "seller, nobody", named)).toContainEqual(
    expect.stringContaining("parent role(s) are not found: nobody"),
  );
});

test("the rules know roles that only a source of another kind has", () => {
  using folder = folderOf("mssql", "seller, clerk, nobody");
  const project = examinable(readProject("metadata", folder.path), "of the test");
  const found = unknownPart.find({
    project,
    metadata: project.metadata,
    configuration: { sessionVariables: undefined, inferFunctionPermissions: true, unauthorizedRole: undefined },
    catalogs: undefined,
    state: undefined,
    base: undefined,
  });
  expect(found.map(({ name }) => name)).toEqual(["nobody"]);
});

test("refuses a file without sources, and names the accepted forms", () => {
  using folder = new MetadataFolder([], { "config.yaml": "version: 3\nmetadata_directory: metadata\n" });
  expect(() => readProject("config.yaml", folder.path)).toThrow(
    "config.yaml has no metadata: it lacks sources. Give the metadata directory, a folder with the config.yaml",
  );
});

test.each([
  ["{connection_info: {}}", "configuration.connection_info.database_url: this key is required"],
  [
    "{connection_info: {database_url: {}}}",
    "configuration.connection_info.database_url.from_env: this key is required",
  ],
  ["{}", "configuration.connection_info: this key is required"],
])("reports the configuration %s once, and keeps the tables of its source", (configuration, reason) => {
  const broken = source("crm", "postgres", "seller").replace(/\{connection_info.*\}/, configuration);
  using folder = new MetadataFolder([], { "metadata/databases/databases.yaml": broken });
  const { metadata, problems } = readProject("metadata", folder.path);
  expect(problems.map(({ path, reason: found }) => `${path}: ${found}`)).toEqual([expect.stringContaining(reason)]);
  expect(metadata?.sources[0]?.tables).toHaveLength(1);
});

test.each([
  '"!include My Database/tables.yaml"',
  "'!include My Database/tables.yaml'",
  "!include My Database/tables.yaml # x",
])("finds the file of %s", (written) => {
  using folder = new MetadataFolder([], {
    "metadata/databases/databases.yaml": `- name: My Database\n  tables: ${written}\n`,
    "metadata/databases/My Database/tables.yaml": "[]\n",
    "metadata/databases/My Database/other.yaml": "[]\n",
  });
  expect(unincludedFiles(`${folder.path}/metadata`)).toEqual([
    "databases/My Database/other.yaml",
    "databases/default/tables/tables.yaml",
  ]);
});
