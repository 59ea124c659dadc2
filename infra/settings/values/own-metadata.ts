/** Folders of an operator with own metadata and migrations. A relative path of the configuration starts from the project. */
import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { applicationRoles } from "@routeql/contract/roles";
import { readText, UnreadableText } from "@routeql/contract/written-text";
import type { EngineRights } from "@routeql/database/migrate/own-migrations";
import { isMigrationName } from "@routeql/database/migrate/migration-names";
import { loadMetadata } from "@routeql/metadata/read/load";
import { mergeMetadata } from "@routeql/metadata/read/merge";
import { rolesWithPermission } from "@routeql/metadata/read/roles";
import { validateMetadata } from "@routeql/metadata/read/validate";
import { checkMetadata } from "hasura-checks/rules/check";
import type { Check } from "./setting.ts";

export const metadataFolder = resolve(import.meta.dirname, "../../../hasura-metadata");

const folderOf = (written: string): string => resolve(import.meta.dirname, "../../..", written);

/** Why a folder cannot be read, such as a missing right on a parent or a link to itself; undefined for a readable folder. */
function folderProblem(path: string): string | undefined {
  try {
    if (statSync(path, { throwIfNoEntry: false })?.isDirectory() !== true) return "is not a folder";
    readdirSync(path);
    return undefined;
  } catch (error) {
    return `is not a folder that this user can read (${(error as NodeJS.ErrnoException).code ?? "unknown error"})`;
  }
}

/** The kit's metadata with that of a directory. */
const merged = (written: string): Readonly<Record<string, unknown>> =>
  mergeMetadata(loadMetadata(metadataFolder).merged, loadMetadata(folderOf(written)).merged);

/** The same, as one JSON document. */
export const withOwnMetadata = (written: string): string => JSON.stringify(merged(written), undefined, 2);

/** Finds errors of hasura-checks in the metadata with that of a directory. */
function metadataProblem(written: string): string | undefined {
  const folder = folderOf(written);
  const unusable = folderProblem(folder);
  if (unusable !== undefined) return unusable;
  const { problems } = loadMetadata(folder);
  if (problems.length > 0)
    return `is invalid: ${problems.map(({ file, line, reason }) => `${file}${line === undefined ? "" : `:${line}`}: ${reason}`).join("; ")}`;
  const temporary = mkdtempSync(join(tmpdir(), "routeql-metadata-"));
  try {
    const file = join(temporary, "metadata.json");
    writeFileSync(file, withOwnMetadata(folder));
    const errors = checkMetadata(file).filter(({ severity }) => severity === "error");
    return errors.length === 0 ? undefined : `is invalid: ${errors.map(({ reason }) => reason).join("; ")}`;
  } finally {
    rmSync(temporary, { recursive: true });
  }
}

export const ownMetadata: { check: Check<"file">; allowed: string } = {
  check: metadataProblem,
  allowed: "a metadata directory without errors of hasura-checks",
};

/** Systems write hidden files beside others, such as `._0001_notes.sql` of macOS. */
const isHidden = (file: string): boolean => file.startsWith(".");

const migrationFiles = (written: string): readonly string[] =>
  readdirSync(folderOf(written))
    .filter((file) => file.endsWith(".sql") && !isHidden(file))
    .toSorted();

const isSql = /\.sql(?:\.txt)?$/i;

/** SQL that would never run: `0002_b.SQL`, `0002_b.sql.txt`, and without others the files of another tool, such as `1620000000_init/up.sql`. */
function passedOver(folder: string, files: readonly string[]): string | undefined {
  const entries = readdirSync(folder, { withFileTypes: true }).filter(({ name }) => !isHidden(name));
  const beside = entries.map(({ name }) => name).find((name) => isSql.test(name) && !name.endsWith(".sql"));
  if (beside !== undefined || files.length > 0) return beside;
  return entries
    .filter((entry) => entry.isDirectory())
    .flatMap(({ name }) => readdirSync(join(folder, name)).map((file) => `${name}/${file}`))
    .toSorted()
    .find((path) => isSql.test(path));
}

export const ownMigrationsIn = (written: string | undefined): Readonly<Record<string, string>> =>
  written === undefined
    ? {}
    : Object.fromEntries(migrationFiles(written).map((file) => [file, readText(join(folderOf(written), file))]));

/** Name of the newest own migration; the outputs record it. */
export const newestOwnMigration = (written: string | undefined): string =>
  written === undefined ? "" : (migrationFiles(written).at(-1) ?? "").replace(/\.sql$/, "");

/** Comments before the way back, of dbmate, goose and sql-migrate, as an own line. */
const wayBack = /^[ \t]*--[ \t]*(?:migrate:down|\+(?:goose|migrate) down)\b.*$/im;
const comments = /--.*$|\/\*[\s\S]*?\*\//gm;

/** Whether a file of another tool has statements that undo it: here they would run with the others. */
function undoesItself(text: string): boolean {
  const mark = wayBack.exec(text);
  return mark !== null && text.slice(mark.index).replaceAll(comments, "").trim() !== "";
}

function migrationsProblem(written: string): string | undefined {
  const folder = folderOf(written);
  const unusable = folderProblem(folder);
  if (unusable !== undefined) return unusable;
  const files = migrationFiles(written);
  const other = passedOver(folder, files);
  if (other !== undefined)
    return `has the file ${other}, which would not run; put each migration into the folder itself, with a name such as 0001_notes.sql`;
  if (files.length === 0) return "has no file *.sql";
  const wrong = files.find((file) => !isMigrationName(file));
  if (wrong !== undefined) return `has the file ${wrong}; a migration has a name such as 0001_notes.sql`;
  const twice = files.find((file, index) => files[index - 1]?.slice(0, 4) === file.slice(0, 4));
  if (twice !== undefined) return `has two migrations with the number ${twice.slice(0, 4)}`;
  for (const file of files)
    try {
      if (undoesItself(readText(join(folderOf(written), file))))
        return `has the file ${file}, whose statements for the way back (after a comment such as -- migrate:down) would run too; remove them`;
    } catch (error) {
      if (error instanceof UnreadableText) return `has the file ${file}, which ${error.message}`;
      return `has the file ${file}, which cannot be read (${(error as NodeJS.ErrnoException).code ?? ""})`;
    }
  return undefined;
}

export const ownMigrations: { check: Check<"file">; allowed: string } = {
  check: migrationsProblem,
  allowed: "a folder with files such as 0001_notes.sql",
};

export function ownRoles(written: string | undefined): readonly string[] {
  if (written === undefined) return [];
  const metadata = merged(written);
  const inherited = (metadata["inherited_roles"] ?? []) as readonly { readonly role_name: string }[];
  const roles = new Set([...rolesWithPermission(metadata), ...inherited.map(({ role_name: name }) => name)]);
  return [...roles.difference(new Set<string>(applicationRoles))].toSorted();
}

/** The rights of the engine's database role that the operator's metadata needs. */
export function engineRights(written: string): EngineRights {
  const { metadata } = validateMetadata(loadMetadata(merged(written)), { allowUnsupported: true });
  const sources = (metadata?.sources ?? []).filter(({ name }) => name === "default");
  const tables = sources.flatMap((source) => source.tables);
  const computed = tables.flatMap((table) => table.computed_fields.map(({ definition }) => definition.function));
  const functions = [...sources.flatMap((source) => source.functions.map((each) => each.function)), ...computed];
  return {
    tables: tables.map((table) => {
      const granted = table.update_permissions.map(({ permission: { columns, set } }) =>
        columns === "*" ? undefined : [...columns, ...Object.keys(set ?? {})],
      );
      const columns = granted.includes(undefined) ? undefined : [...new Set(granted.flatMap((each) => each ?? []))];
      return {
        schema: table.table.schema,
        name: table.table.name,
        rights: [
          { right: "select" },
          ...(table.insert_permissions.length > 0 ? [{ right: "insert" }] : []),
          ...(columns === undefined ? [{ right: "update" }] : columns.length > 0 ? [{ right: "update", columns }] : []),
          ...(table.delete_permissions.length > 0 ? [{ right: "delete" }] : []),
        ],
      };
    }),
    functions: functions.map(({ schema, name }) => ({ schema, name })),
  };
}
