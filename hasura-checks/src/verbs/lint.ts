import { declaredAccess, UnderivableMetadata } from "../declared/declared.ts";
import { type Command, exitCodes, type Given, painter, type Terminal } from "../cli/command.ts";
import { UsageError } from "../cli/usage-error.ts";
import { commonOptions, type Configuration, metadataDirectory, readConfiguration } from "../configuration.ts";
import { judge, type Judged, selectionOf, selectionOptions } from "../reports/selection.ts";
import { counts, divide, type Finding } from "../findings/finding.ts";
import { amount, formatOf, printReport } from "../reports/print.ts";
import { databaseAddresses, databaseOptions, Databases, withoutDatabase } from "../metadata/database.ts";
import { fitted } from "../metadata/fitting.ts";
import { eachSource, examinable, readProject, type ReadProject } from "../metadata/project.ts";
import { readBase } from "../metadata/revision.ts";
import { visibleRows, type VisibleRows, visibleRowsTable } from "../permissions/observe/visible-rows.ts";
import { pinnedHasura } from "../rules/advisories.ts";
import { applicable, applyRules, shapeFindings } from "../rules/apply.ts";
import { rulesDocument } from "../rules/list.ts";
import { permissionsOf, tablesOf } from "../metadata/walk.ts";
import type { Examined, Rule } from "../rules/rule.ts";
import { notExamined } from "../rules/shape.ts";

export const formatOptions = {
  format: {
    type: "string",
    value: "FORMAT",
    help: "text (default), json, github (annotations of GitHub Actions), gitlab (its report of code quality) or sarif (code scanning)",
  },
  json: { type: "boolean", help: "the same as --format json" },
  all: { type: "boolean", help: "as text: list every finding; by default a long report is grouped by rule" },
} as const;

interface Checked extends Judged {
  /** With --only-new: findings that the base has too. */
  readonly inBase: readonly Finding[];
  readonly examined: string;
  /** Rules that need a missing database, base or list of session variables. */
  readonly notApplied: readonly Rule[];
  /** With a database: rows that each role sees. */
  readonly visible: readonly VisibleRows[];
  readonly namesSources: boolean;
}

async function examine(given: Given, terminal: Terminal, configuration: Configuration): Promise<Checked> {
  const { directory } = terminal;
  const source = metadataDirectory(given, configuration, directory);
  const project = readProject(source, directory);
  const shape = shapeFindings(project);
  const always = ["metadata-shape", "not-examined", "file-not-included"];
  if (project.metadata === undefined)
    return {
      ...judge(shape, configuration, new Set(always)),
      inBase: [],
      examined: "only the shape of the metadata, because it is invalid",
      notApplied: [],
      visible: [],
      namesSources: false,
    };
  const read = examinable(project, `of ${source}`);
  const { metadata } = read;
  const base = await baseOf(given.text("base"), source, directory);
  const addresses = databaseAddresses(given, metadata, terminal);
  await using databases = await Databases.open(addresses);
  const stateOf = async (of: ReadProject) => databases?.state(of, configuration.inferFunctionPermissions);
  const onDatabase = async (revision: ReadProject) => ({
    project: revision,
    metadata: revision.metadata,
    configuration,
    hasuraVersion: hasuraVersionOf(given),
    catalogs: await databases?.catalogs(revision.metadata),
    state: await stateOf(revision),
    rows: await rowsOf(revision, databases, configuration.inferFunctionPermissions),
  });
  const { rows, ...own } = await onDatabase(read);
  const earlier = base === undefined ? undefined : await onDatabase(base);
  const examined = { ...own, visible: rows.visible, base: earlier };
  const applied = applicable(examined);
  // A single source may have another name in the base revision.
  const namesSources = [metadata, base?.metadata].some((revision) => (revision?.sources.length ?? 0) > 1);
  const { findings, excepted } = judge(
    [
      ...shape,
      ...sourcesWithoutDatabase(read, addresses),
      ...rows.findings,
      ...applyRules(examined, applied, namesSources),
    ],
    configuration,
    new Set([...always, ...applied.map(({ id }) => id)]),
  );
  const standing =
    earlier === undefined || !given.flag("only-new") ? [] : standingFindings(earlier, earlier.rows, namesSources);
  const { added, known } = divide(findings, standing);
  const notApplied = applicable({
    ...examined,
    catalogs: [],
    base: { project, metadata, state: {} as never },
    configuration: { ...configuration, sessionVariables: [] },
  });
  return {
    findings: added,
    inBase: known,
    excepted,
    examined: `${amount(permissionsOf(examined).length, "permission")} on ${amount(tablesOf(examined).length, "table")} examined by ${applied.length + always.length} rules${databases === undefined ? ", without a database" : ""}`,
    visible: rows.visible,
    namesSources,
    notApplied: notApplied.filter((rule) => !applied.includes(rule)),
  };
}

/** Rows that each role sees, with a finding for each permission whose rows cannot be counted. */
async function rowsOf(
  project: ReadProject,
  databases: Databases | undefined,
  inferFunctionPermissions: boolean,
): Promise<{ readonly visible: readonly VisibleRows[]; readonly findings: readonly Finding[] }> {
  const visible: VisibleRows[] = [];
  const findings: Finding[] = [];
  const sources = eachSource(project);
  for (const each of sources) {
    const [source] = each.metadata.sources;
    const database = source === undefined ? undefined : databases?.of(source.name, sources.length);
    if (source === undefined || database === undefined) continue;
    const notCounted = (reason: string, place: { readonly role?: string; readonly table?: string } = {}) =>
      findings.push({
        rule: notExamined.id,
        severity: "note",
        ...each.position(["sources", 0]),
        ...(sources.length > 1 ? { source: source.name } : {}),
        ...place,
        reason: `not examined: ${reason}`,
        remedy: "nothing, if the other rules are enough here",
      });
    try {
      const { project: fitting } = await fitted(each, database, inferFunctionPermissions);
      const access = declaredAccess(fitting.metadata, {
        catalog: await database.catalog(fitting.metadata.sources[0] ?? source),
        inferFunctionPermissions,
      });
      const { counted, uncounted } = await visibleRows(access, database, source.name);
      visible.push(...counted);
      for (const { role, table, reason } of uncounted)
        notCounted(`the rows of ${table} that ${role} sees: ${reason}`, { role, table });
    } catch (error) {
      if (!(error instanceof UnderivableMetadata)) throw error;
      notCounted(`the rows that each role sees: ${error.message}`);
    }
  }
  return { visible, findings };
}

/** Findings for sources without a database, if other sources have one. */
function sourcesWithoutDatabase(
  { metadata: { sources }, position }: ReadProject,
  addresses: ReadonlyMap<string, string>,
): readonly Finding[] {
  if (addresses.size === 0) return [];
  return sources.flatMap((source, index): readonly Finding[] =>
    addresses.has(source.name)
      ? []
      : [
          {
            rule: notExamined.id,
            severity: notExamined.severity,
            ...position(["sources", index]),
            source: source.name,
            reason: `not examined: the source ${source.name} on its database, because no database is given`,
            remedy: withoutDatabase(source, true),
          },
        ],
  );
}

async function baseOf(named: string | undefined, source: string, directory: string): Promise<ReadProject | undefined> {
  return named === undefined ? undefined : examinable(await readBase(named, source, directory), `of ${named}`);
}

/** @throws {UsageError} if the version is not complete */
function hasuraVersionOf(given: Given): string {
  const named = given.text("hasura-version") ?? pinnedHasura;
  const version = /^v?(\d+\.\d+\.\d+)/.exec(named)?.[1];
  if (version === undefined) throw new UsageError(`--hasura-version ${named} is not a version such as ${pinnedHasura}`);
  return version;
}

export const lint: Command = {
  name: "lint",
  summary: "finds errors and risks in metadata, with file and line",
  usage: "hasura-checks lint [--metadata DIR] [--database URL] [--base REVISION [--only-new]]",
  description: `Reads the metadata directory like Hasura, and strictly: an unknown key is an error. The rules examine permissions, names and references; --rules prints them.

With a database, the rules also use its catalogue and its rows. With a base revision, they find wider permissions and, with a database too, changes that break clients. Exceptions in hasura-checks.yaml need a reason. With --only-new, findings of the base are counted and do not fail.`,
  options: {
    ...commonOptions,
    ...databaseOptions,
    base: {
      type: "string",
      value: "REVISION",
      help: "compare with the metadata of a revision of git, such as origin/main (origin/main:PATH if it has another path there), or with another directory",
    },
    "only-new": {
      type: "boolean",
      help: "list only findings that the base lacks; the others are counted, and do not fail",
    },
    "hasura-version": {
      type: "string",
      value: "VERSION",
      help: `version of the Hasura that serves the metadata, for the rule hasura-advisory; default: ${pinnedHasura}`,
    },
    "visible-rows": {
      type: "boolean",
      help: "with a database: list the number of rows that each role sees of each table, in sessions with values of the database and in a session whose values no row holds",
    },
    ...selectionOptions,
    rules: { type: "boolean", help: "print the list of rules as Markdown" },
    ...formatOptions,
  },
  examples: [
    ["hasura-checks lint --metadata hasura-metadata", "only the files"],
    ["hasura-checks lint --database postgres://localhost/app --base origin/main --format github", "in a pull request"],
    ["hasura-checks lint --base origin/main --only-new", "in a project with many older findings"],
  ],
  outcomes: [
    "there are no errors or warnings, apart from exceptions and, with --only-new, findings of the base",
    "there is at least one error or warning",
  ],
  async run(given, terminal) {
    if (given.flag("rules")) {
      terminal.out(rulesDocument().trimEnd());
      return exitCodes.fine;
    }
    const format = formatOf(given.text("format"), given.flag("json"));
    const base = given.text("base");
    if (given.flag("only-new") && base === undefined)
      throw new UsageError("--only-new needs --base: new since which revision?");
    const configuration = readConfiguration(given, terminal);
    const select = selectionOf(given);
    const {
      findings: all,
      inBase,
      excepted,
      examined,
      notApplied,
      visible,
      namesSources,
    } = await examine(given, terminal, configuration);
    const said = `${examined}${excepted.length === 0 ? "" : `, ${excepted.length} excepted`}${inBase.length === 0 ? "" : `, ${inBase.length} in ${base ?? "the base"} already`}`;
    const findings = select(all);
    terminal.out(
      printReport(
        {
          findings,
          examined: said,
          isWhole: given.flag("all") || given.texts("rule").length > 0,
          more: {
            excepted,
            inBase,
            notApplied: notApplied.map(({ id, needs = "" }) => `${id} (needs ${needs})`),
            visibleRows: given.flag("visible-rows") ? visible : undefined,
          },
        },
        format,
        painter(terminal.colours),
      ),
    );
    if (format === "text" && given.flag("visible-rows"))
      terminal.out(visible.length === 0 ? "" : `\n${visibleRowsTable(visible, namesSources)}`);
    if (format === "text" && notApplied.length > 0) {
      const needs = [...Map.groupBy(notApplied, (rule) => rule.needs ?? "")];
      const said = needs.map(([need, rules]) => `${amount(rules.length, "rule")} without ${need}`).join(", ");
      terminal.out(painter(terminal.colours)("dim", `not applied: ${said}`));
    }
    return findings.some(counts) ? exitCodes.findings : exitCodes.fine;
  },
};

/** Findings of a base revision by the current configuration and on the same database. */
function standingFindings(
  revision: Omit<Examined, "base" | "visible"> & { readonly project: ReadProject },
  { visible, findings }: Awaited<ReturnType<typeof rowsOf>>,
  namesSources: boolean,
): readonly Finding[] {
  const examined = { ...revision, visible, base: undefined };
  return [...shapeFindings(revision.project), ...findings, ...applyRules(examined, applicable(examined), namesSources)];
}
