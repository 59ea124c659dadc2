import { painter } from "../cli/colours.ts";
import { type Command, exitCodes, type Given, type Surroundings } from "../cli/command.ts";
import { UsageError } from "../cli/usage-error.ts";
import { commonOptions, type Configuration, metadataDirectory, readConfiguration } from "../configuration.ts";
import { judge, type Judged } from "../findings/exceptions.ts";
import { counts, type Finding } from "../findings/finding.ts";
import { divide } from "../findings/identity.ts";
import { amount, formatOf, printReport } from "../findings/print.ts";
import { standingFindings } from "../findings/standing.ts";
import { selectionOf, selectionOptions } from "../findings/selection.ts";
import { databaseAddresses, databaseOptions, Databases, withoutDatabase } from "../metadata/database.ts";
import { fitted } from "../metadata/fitting.ts";
import { eachSource, examinable, readProject, type ReadProject } from "../metadata/project.ts";
import { readBase } from "../metadata/revision.ts";
import { visibleRows, type VisibleRows } from "../permissions/visible-rows.ts";
import { visibleRowsTable } from "../permissions/visible-rows-table.ts";
import { pinnedHasura } from "../rules/advisories.ts";
import { applicable, applyRules, shapeFindings } from "../rules/apply.ts";
import { notExamined } from "../rules/shape.ts";
import { rulesDocument } from "../rules/document.ts";
import { permissionsOf, tablesOf } from "../rules/rule.ts";
import { declaredAccess, UnderivableMetadata } from "@routeql/metadata/declared/declared";

export const formatOptions = {
  format: { type: "string", value: "FORMAT", help: "text (default), json, github (annotations of GitHub Actions), gitlab (its report of code quality) or sarif (code scanning)" },
  json: { type: "boolean", help: "the same as --format json" },
} as const;

interface Checked extends Judged {
  /** With --only-new: what is found in the base too. */
  readonly inBase: readonly Finding[];
  readonly examined: string;
  /** Rules that were not applied, for want of a database, a base or the session variables. */
  readonly notApplied: readonly string[];
  /** With a database: rows that each role sees. */
  readonly visible: readonly VisibleRows[];
  readonly namesSources: boolean;
}

async function examine(given: Given, surroundings: Surroundings, configuration: Configuration): Promise<Checked> {
  const { directory } = surroundings;
  const source = metadataDirectory(given, configuration, directory);
  const project = readProject(source, directory);
  const shape = shapeFindings(project);
  const always = ["metadata-shape", "not-examined", "file-not-included"];
  if (project.metadata === undefined) return { ...judge(shape, configuration, new Set(always)), inBase: [], examined: "the shape of the metadata alone, since it is wrong", notApplied: [], visible: [], namesSources: false };
  const read = examinable(project, `of ${source}`);
  const { metadata } = read;
  const base = await baseOf(given.text("base"), source, directory);
  const addresses = databaseAddresses(given, metadata, surroundings);
  await using databases = await Databases.open(addresses);
  const stateOf = async (of: ReadProject) => databases?.state(of, configuration.inferFunctionPermissions);
  const rows = await rowsOf(read, databases, configuration.inferFunctionPermissions);
  const examined = {
    project,
    metadata,
    configuration,
    visible: rows.visible,
    hasuraVersion: hasuraVersionOf(given),
    catalogs: await databases?.catalogs(metadata),
    state: await stateOf(read),
    base: base === undefined ? undefined : { project: base, metadata: base.metadata, state: await stateOf(base) },
  };
  const applied = applicable(examined);
  // A source that was alone and still is may have been renamed.
  const namesSources = [metadata, base?.metadata].some((revision) => (revision?.sources.length ?? 0) > 1);
  const { findings, excepted } = judge([...shape, ...sourcesWithoutDatabase(read, addresses), ...rows.findings, ...applyRules(examined, applied, namesSources)], configuration, new Set([...always, ...applied.map(({ id }) => id)]));
  const standing = base === undefined || !given.flag("only-new") ? [] : standingFindings(base, await databases?.catalogs(base.metadata), configuration, namesSources);
  const { added, known } = divide(findings, standing);
  const notApplied = applicable({ ...examined, catalogs: [], base: { project, metadata, state: {} as never }, configuration: { ...configuration, sessionVariables: [] } });
  return {
    findings: added,
    inBase: known,
    excepted,
    examined: `${amount(permissionsOf(examined).length, "permission")} on ${amount(tablesOf(examined).length, "table")} examined by ${applied.length + always.length} rules${databases === undefined ? ", without a database" : ""}`,
    visible: rows.visible,
    namesSources,
    notApplied: notApplied.filter((rule) => !applied.includes(rule)).map(({ id, needs }) => `${id} (needs ${needs ?? ""})`),
  };
}

/** Rows that each role sees, with a finding for each permission whose rows cannot be counted. */
async function rowsOf(project: ReadProject, databases: Databases | undefined, inferFunctionPermissions: boolean): Promise<{ readonly visible: readonly VisibleRows[]; readonly findings: readonly Finding[] }> {
  const visible: VisibleRows[] = [];
  const findings: Finding[] = [];
  const sources = eachSource(project);
  for (const each of sources) {
    const [source] = each.metadata.sources;
    const database = source === undefined ? undefined : databases?.of(source.name, sources.length);
    if (source === undefined || database === undefined) continue;
    const notCounted = (reason: string, place: { readonly role?: string; readonly table?: string } = {}) =>
      findings.push({ rule: notExamined.id, severity: "note", ...each.position(["sources", 0]), ...(sources.length > 1 ? { source: source.name } : {}), ...place, reason: `not examined: ${reason}`, remedy: "nothing, if the other rules are enough here" });
    try {
      const { project: fitting } = await fitted(each, database, inferFunctionPermissions);
      const access = declaredAccess(fitting.metadata, { catalog: await database.catalog(fitting.metadata.sources[0] ?? source), inferFunctionPermissions });
      const { counted, uncounted } = await visibleRows(access, database, source.name);
      visible.push(...counted);
      for (const { role, table, reason } of uncounted) notCounted(`the rows of ${table} that ${role} sees: ${reason}`, { role, table });
    } catch (error) {
      if (!(error instanceof UnderivableMetadata)) throw error;
      notCounted(`the rows that each role sees: ${error.message}`);
    }
  }
  return { visible, findings };
}

/** Where some sources have a database, those that have none. */
function sourcesWithoutDatabase({ metadata: { sources }, position }: ReadProject, addresses: ReadonlyMap<string, string>): readonly Finding[] {
  if (addresses.size === 0) return [];
  return sources.flatMap((source, index): readonly Finding[] =>
    addresses.has(source.name) ? [] : [{ rule: notExamined.id, severity: notExamined.severity, ...position(["sources", index]), source: source.name, reason: `not examined: the source ${source.name} on its database, because none is given`, remedy: withoutDatabase(source, true) }],
  );
}

async function baseOf(named: string | undefined, source: string, directory: string): Promise<ReadProject | undefined> {
  return named === undefined ? undefined : examinable(await readBase(named, source, directory), `of ${named}`);
}

/** @throws {UsageError} for anything but a complete version */
function hasuraVersionOf(given: Given): string {
  const named = given.text("hasura-version") ?? pinnedHasura;
  const version = /^v?(\d+\.\d+\.\d+)/.exec(named)?.[1];
  if (version === undefined) throw new UsageError(`--hasura-version ${named} is not a version such as ${pinnedHasura}`);
  return version;
}

export const lint: Command = {
  name: "lint",
  summary: "finds what is wrong or risky in metadata, with file and line",
  usage: "hasura-checks lint [--metadata DIR] [--database URL] [--base REVISION [--only-new]]",
  description: `Reads the metadata directory as Hasura would, but strictly: an unknown key is an error. Then a list of rules looks at permissions, names and references; --rules prints it.

With a database, every name is looked up in its catalogue. With a base revision, roles that may do more than there are found, and, with a database too, changes that break a role's clients. What is meant can be excepted in hasura-checks.yaml, with a reason. With --only-new, what the base has too is counted and does not fail.`,
  options: {
    ...commonOptions,
    ...databaseOptions,
    base: { type: "string", value: "REVISION", help: "compare with the metadata of a revision of git, such as origin/main (origin/main:PATH where they were elsewhere there), or with another directory" },
    "only-new": { type: "boolean", help: "list findings that the base lacks; the others are counted, and do not fail" },
    "hasura-version": { type: "string", value: "VERSION", help: `version of the Hasura that serves the metadata, for the rule hasura-advisory; default: ${pinnedHasura}` },
    "visible-rows": { type: "boolean", help: "with a database: list the rows that each role sees of each table, in sessions made of the values there and in a session whose values no row holds" },
    ...selectionOptions,
    rules: { type: "boolean", help: "print the list of rules, as Markdown, and end" },
    ...formatOptions,
  },
  examples: [
    ["hasura-checks lint --metadata hasura-metadata", "the files alone"],
    ["hasura-checks lint --database postgres://localhost/app --base origin/main --format github", "in a pull request"],
    ["hasura-checks lint --base origin/main --only-new", "where there are hundreds of findings already"],
  ],
  outcomes: ["nothing was found, or nothing but notes, what is excepted and, with --only-new, what the base has too", "at least one error or warning was found"],
  async run(given, surroundings) {
    if (given.flag("rules")) {
      surroundings.out(rulesDocument().trimEnd());
      return exitCodes.fine;
    }
    const format = formatOf(given.text("format"), given.flag("json"));
    const base = given.text("base");
    if (given.flag("only-new") && base === undefined) throw new UsageError("--only-new needs --base: new since which revision?");
    const configuration = readConfiguration(given, surroundings);
    const select = selectionOf(given);
    const { findings: all, inBase, excepted, examined, notApplied, visible, namesSources } = await examine(given, surroundings, configuration);
    const said = `${examined}${excepted.length === 0 ? "" : `, ${excepted.length} excepted`}${inBase.length === 0 ? "" : `, ${inBase.length} in ${base ?? "the base"} already`}`;
    const findings = select(all);
    surroundings.out(printReport({ findings, examined: said, more: { excepted, inBase, notApplied, ...(given.flag("visible-rows") ? { visibleRows: visible } : {}) } }, format, painter(surroundings.colours)));
    if (format === "text" && given.flag("visible-rows")) surroundings.out(visible.length === 0 ? "" : `\n${visibleRowsTable(visible, namesSources)}`);
    if (format === "text" && notApplied.length > 0) surroundings.out(painter(surroundings.colours)("dim", `not applied: ${notApplied.join(", ")}`));
    return findings.some(counts) ? exitCodes.findings : exitCodes.fine;
  },
};
