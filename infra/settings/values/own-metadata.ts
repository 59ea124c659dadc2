/** Folders of an operator with own metadata and migrations. A relative path of the configuration starts from the project. */
import { readdirSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { applicationRoles } from "@routeql/contract/roles";
import { readText, UnreadableText } from "@routeql/contract/written-text";
import type { EngineRights } from "@routeql/database/migrate/own-migrations";
import { unsuitedProblem } from "@routeql/database/migrate/unsuited-statements";
import { isMigrationName } from "@routeql/database/migrate/migration-names";
import { type LoadedMetadata, loadMetadata, type MergedPath, printPath, valueAt } from "@routeql/metadata/read/load";
import { mergeLoaded } from "@routeql/metadata/read/merge";
import type { Problem } from "@routeql/metadata/read/problems";
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

/** Metadata whose problems name the files in a folder. */
function loadedFrom(folder: string, shown: string): LoadedMetadata {
  const loaded = loadMetadata(folder);
  const named = <Found extends { readonly file: string }>(found: Found): Found => ({
    ...found,
    file: join(shown, found.file),
  });
  return { ...loaded, problems: loaded.problems.map(named), locate: (path) => named(loaded.locate(path)) };
}

/** The kit's metadata with that of a directory. */
const merged = (written: string): LoadedMetadata =>
  mergeLoaded(loadedFrom(metadataFolder, "hasura-metadata"), loadedFrom(folderOf(written), written));

/** The same, as one JSON document. */
export const withOwnMetadata = (written: string): string => JSON.stringify(merged(written).merged, undefined, 2);

/** The lines of your own files for the parts of that document, by their path, as the reader of metadata takes them. */
export function ownPlaces(written: string): string {
  const own = loadedFrom(folderOf(written), written);
  const loaded = mergeLoaded(loadedFrom(metadataFolder, "hasura-metadata"), own);
  // A part that is joined from two files has no place; the parts in it have theirs.
  const whole = new Set<unknown>();
  const found: [string, Pick<Problem, "file" | "line">][] = [];
  const visit = (value: unknown, path: MergedPath, see: (value: object, path: MergedPath) => void): void => {
    if (typeof value !== "object" || value === null) return;
    see(value, path);
    for (const [key, item] of Object.entries(value))
      visit(item, [...path, Array.isArray(value) ? Number(key) : key], see);
  };
  visit(own.merged, [], (value) => void whole.add(value));
  visit(loaded.merged, [], (value, path) => {
    if (!whole.has(value)) return;
    const { file, line } = loaded.locate(path);
    found.push([printPath(path), { file, ...(line === undefined ? {} : { line }) }]);
  });
  return JSON.stringify(Object.fromEntries(found));
}

type Placed = Pick<Problem, "reason"> & Partial<Pick<Problem, "file" | "line">>;

/** After a colon: one problem in its line, several in lines of their own. */
function listed(problems: readonly Placed[]): string {
  const lines = problems.map(
    ({ file, line, reason }) => `${file ?? ""}${line === undefined ? "" : `:${line}`}: ${reason}`,
  );
  return lines.length === 1 ? ` ${lines[0]}` : lines.map((line) => `\n${line}`).join("");
}

type Source = Readonly<Record<string, unknown>>;
const sourcesOf = ({ merged: { sources } }: LoadedMetadata): readonly Source[] =>
  (Array.isArray(sources) ? sources : []).filter(
    (source): source is Source => typeof source === "object" && source !== null,
  );

const addressIn = (source: Source | undefined): unknown =>
  valueAt(source, ["configuration", "connection_info", "database_url"]);

/** Sources that the engine cannot connect to: it has one database, whose address RouteQL knows. */
function sourceProblems(own: LoadedMetadata): readonly Placed[] {
  const [only] = sourcesOf(loadMetadata(metadataFolder));
  const main = String(only?.["name"]);
  return sourcesOf(own).flatMap((source, index): Placed[] => {
    const name = String(source["name"]);
    const reason = `the source ${name} has no database. Put its tables and functions into the source ${main}`;
    if (name !== main) return [{ ...own.locate(["sources", index, "name"]), reason }];
    const address = addressIn(source);
    if (address === undefined || isDeepStrictEqual(address, addressIn(only))) return [];
    const remedy = `remove configuration: RouteQL connects the source ${main} to its database`;
    return [{ ...own.locate(["sources", index, "configuration"]), reason: remedy }];
  });
}

/** Finds errors of hasura-checks in the metadata with that of a directory. */
function metadataProblem(written: string): string | undefined {
  const unusable = folderProblem(folderOf(written));
  if (unusable !== undefined) return unusable;
  const loaded = merged(written);
  const unread = loaded.problems;
  const own = unread.length > 0 ? [] : sourceProblems(loadedFrom(folderOf(written), written));
  const wrong = [unread, own, checkMetadata(loaded).filter(({ severity }) => severity === "error")].find(
    (found) => found.length > 0,
  );
  return wrong === undefined ? undefined : `is invalid:${listed(wrong)}`;
}

/** Features of the metadata that Hasura has and the embedded engine refuses. */
export function unservedProblem(written: string): string | undefined {
  const { problems } = validateMetadata(merged(written), { allowUnsupported: true });
  const unserved = problems.filter(({ kind }) => kind === "unsupported");
  return unserved.length === 0 ? undefined : listed(unserved);
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
      const text = readText(join(folderOf(written), file));
      const unsuited = unsuitedProblem(text);
      if (unsuited !== undefined) return `has the file ${file}, which ${unsuited}`;
      if (undoesItself(text))
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
  const metadata = merged(written).merged;
  const inherited = (metadata["inherited_roles"] ?? []) as readonly { readonly role_name: string }[];
  const roles = new Set([...rolesWithPermission(metadata), ...inherited.map(({ role_name: name }) => name)]);
  return [...roles.difference(new Set<string>(applicationRoles))].toSorted();
}

/** The rights of the engine's database role that the operator's metadata needs. */
export function engineRights(written: string): EngineRights {
  const { metadata } = validateMetadata(merged(written), { allowUnsupported: true });
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
