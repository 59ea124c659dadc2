import { writeFileSync } from "node:fs";
import { resolve } from "node:path";
import type { DeclaredAccess } from "../declared/declared.ts";
import { type Command, exitCodes, type Given, painter, type Terminal } from "../cli/command.ts";
import { endpointOf, endpointOptions } from "../cli/endpoint.ts";
import { UsageError } from "../cli/usage-error.ts";
import { commonOptions, type Configuration, metadataDirectory, readConfiguration } from "../configuration.ts";
import { counts, type Finding } from "../findings/finding.ts";
import { amount, formatOf, printReport } from "../reports/print.ts";
import { redacted } from "../findings/secret-texts.ts";
import { databaseAddresses, databaseName, databaseOptions, withoutDatabase } from "../metadata/database.ts";
import { eachSource, examinable, ofOneSource, readProject, type ReadProject } from "../metadata/project.ts";
import { type Expectations, expectationsOf } from "../permissions/report/expectations.ts";
import { ExpectationsFile, type Granted } from "../permissions/report/expected.ts";
import { renderPermissions } from "../permissions/report/markdown.ts";
import type { SourceMetadata } from "@routeql/metadata/read/shape";
import { shapeFindings } from "../rules/apply.ts";
import { notExamined } from "../rules/shape.ts";
import { Verdicts } from "../permissions/report/report.ts";
import { Subject } from "../permissions/observe/subject.ts";
import { verify } from "../permissions/verify.ts";
import { formatOptions } from "./lint.ts";

const defaults = { rows: 1000, timeout: 30, minutes: 10 };

function wholeNumber(given: Given, name: string, fallback: number): number {
  const text = given.text(name);
  if (text === undefined) return fallback;
  const value = Number(text);
  if (!Number.isSafeInteger(value) || value < 1)
    throw new UsageError(`--${name} takes a whole number from 1, not ${text}`);
  return value;
}

function expectationsFile(
  given: Given,
  configuration: Configuration,
  directory: string,
  sources: readonly string[],
): ExpectationsFile | undefined {
  const file = given.text("expectations") ?? configuration.expectations;
  if (file === undefined && given.flag("update-expectations"))
    throw new UsageError("--update-expectations needs --expectations FILE, or expectations in hasura-checks.yaml");
  const expectations = file === undefined ? undefined : new ExpectationsFile(file, directory);
  if (!given.flag("update-expectations")) expectations?.require(sources);
  return expectations;
}

/** Differences from the file of expectations. With `update` it writes the file instead. */
function judgeExpectations(
  file: ExpectationsFile | undefined,
  granted: Granted,
  update: boolean,
  err: Terminal["err"],
): readonly Finding[] {
  if (file === undefined) return [];
  if (!update) return file.compare(granted);
  file.write(granted);
  err(`wrote ${file.name}`);
  return [];
}

function sourceNotExamined(project: ReadProject, source: SourceMetadata): Finding {
  const { id, severity } = notExamined;
  return {
    rule: id,
    severity,
    ...project.position(["sources", 0]),
    source: source.name,
    reason: `not examined: the source ${source.name}, because it has no database`,
    remedy: withoutDatabase(source, true),
  };
}

interface Verified {
  readonly source: string;
  readonly access: DeclaredAccess;
  readonly verdicts: Verdicts;
}

interface Documents {
  readonly files: readonly string[];
  readonly origin: string;
  readonly configuration: Configuration;
  readonly terminal: Terminal;
}

function writeDocuments(
  verified: readonly Verified[],
  isAlone: boolean,
  { files, origin, configuration: { rolesWithoutPermission }, terminal: { directory, err } }: Documents,
): void {
  const sources = verified.map(({ source, access }) => ({ name: isAlone ? undefined : source, access }));
  for (const file of files) {
    const options = {
      rolesWithoutPermission,
      origin: `Written from \`${origin}\` by \`npx hasura-checks permissions\`.`,
      notes: "",
    };
    const text = renderPermissions(sources, options);
    writeFileSync(resolve(directory, file), redacted(text));
    err(`wrote ${file}`);
  }
}

/** Number of checks in all sources, by kind. */
function added(verified: readonly Verified[]): Readonly<Record<string, number>> {
  const sums: Record<string, number> = {};
  for (const { verdicts } of verified)
    for (const [kind, number] of Object.entries(verdicts.counts)) sums[kind] = (sums[kind] ?? 0) + number;
  return sums;
}

export const permissions: Command = {
  name: "permissions",
  summary: "compares the rows that every role receives and changes with the metadata and with SQL, on a database",
  usage: "hasura-checks permissions --metadata DIR --database URL [--expectations FILE] [--write FILE.md]",
  description: `Checks for every role, root field, operation (query, by key, aggregate, subscription, stream) and column that it is served or refused as declared, by introspection and by execution. Compares the rows of every role and table with those of the filter in SQL, in sessions with values of the database and with missing, malformed and hostile session variables. Also checks limits, counts, relationships, hidden rows and error messages. Tries inserts, updates and deletions on existing and generated rows, and compares their effects with the same changes in SQL.

It needs no running Hasura: the embedded engine serves the metadata in this process. It reads in read-only transactions, and each attempt to change rows ends in ROLLBACK: nothing is stored, but sequences advance and rows are locked for a moment. A copy with a few hundred rows of each table is enough. Functions and native queries are called with guessed arguments, or with those of hasura-checks.yaml. Actions, remote schemas and event triggers are not examined. A running engine stores changes, so --endpoint tries writes only with --disposable-database.

A file of expectations lists the permissions of each role in each source for review. --update-expectations writes it, and later runs compare with it.`,
  options: {
    ...commonOptions,
    ...databaseOptions,
    ...endpointOptions,
    endpoint: {
      type: "string",
      value: "URL",
      help: "verify this running engine instead of the embedded one; without a path, /v1/graphql. It needs the admin secret, and the database whose rows it serves",
    },
    "disposable-database": {
      type: "string",
      value: "NAME",
      help: "with --endpoint: also try writes, which the running engine stores. NAME is the name of the database, whose rows are then changed and deleted",
    },
    source: {
      type: "string",
      value: "NAME",
      help: "only this source; default: all Postgres sources of the metadata, each with its own database",
    },
    expectations: {
      type: "string",
      value: "FILE",
      help: "YAML file with the permissions of each role; differences are findings",
    },
    "update-expectations": { type: "boolean", help: "write the file of expectations instead of comparing with it" },
    write: {
      type: "string",
      value: "FILE",
      multiple: true,
      help: "write the permissions as Markdown; can be repeated",
    },
    rows: {
      type: "string",
      value: "NUMBER",
      help: `most rows that are compared one by one, for each role, table and session; default ${defaults.rows}`,
    },
    timeout: { type: "string", value: "SECONDS", help: `most time for one statement; default ${defaults.timeout}` },
    minutes: {
      type: "string",
      value: "NUMBER",
      help: `most time for the whole examination; the rest is reported as not verified; default ${defaults.minutes}`,
    },
    ...formatOptions,
  },
  examples: [
    ["hasura-checks permissions --metadata hasura-metadata --database postgres://localhost/app", "verify"],
    [
      "hasura-checks permissions --expectations permissions.yaml --update-expectations",
      "write the granted permissions for review",
    ],
    [
      "hasura-checks permissions --database crm=postgres://localhost/crm --database billing=postgres://db/b",
      "metadata with two sources",
    ],
    ["hasura-checks permissions --source billing --database postgres://localhost/billing", "one of the sources"],
  ],
  outcomes: ["the answers match the declaration and the expectations", "there is at least one difference"],
  async run(given, terminal) {
    const started = performance.now();
    const format = formatOf(given.text("format"), given.flag("json"));
    const configuration = readConfiguration(given, terminal);
    const { directory, err, out, colours } = terminal;
    const origin = metadataDirectory(given, configuration, directory);
    const files = given.texts("write");
    for (const file of files)
      if (!file.endsWith(".md")) throw new UsageError(`--write takes a file that ends in .md, not ${file}`);
    const named = given.text("source");
    const project = examinable(
      readProject(origin, directory, undefined, (loaded) => ofOneSource(loaded, named)),
      `of ${origin}`,
    );
    const most = wholeNumber(given, "rows", defaults.rows);
    const statementTimeout = wholeNumber(given, "timeout", defaults.timeout) * 1000;
    const minutes = Number(given.text("minutes") ?? defaults.minutes);
    if (!(minutes > 0)) throw new UsageError(`--minutes takes a positive number, not ${given.text("minutes") ?? ""}`);
    const until = started + minutes * 60_000;
    const sources = eachSource(project);
    const expectations = expectationsFile(
      given,
      configuration,
      directory,
      project.metadata.sources.map(({ name }) => name),
    );
    const endpoint = endpointOf(given, terminal, "/v1/graphql");
    if (endpoint !== undefined && endpoint.secret === undefined)
      throw new UsageError(
        "--endpoint needs the admin secret: give --admin-secret-file FILE, or set HASURA_GRAPHQL_ADMIN_SECRET",
      );
    const disposable = given.text("disposable-database");
    if (disposable !== undefined && endpoint === undefined)
      throw new UsageError("--disposable-database needs --endpoint: the embedded engine stores no changes");
    const running =
      endpoint === undefined
        ? undefined
        : { ...endpoint, secret: endpoint.secret ?? "", timeout: statementTimeout, disposable };
    const addresses = databaseAddresses(given, project.metadata, terminal);
    if (disposable !== undefined && ![...addresses.values()].some((address) => databaseName(address) === disposable))
      throw new UsageError(`--disposable-database names ${disposable}, and no --database has this name`);
    if (sources.length > 0 && addresses.size === 0)
      throw new UsageError(
        `permissions needs a database: ${project.metadata.sources.map((one) => withoutDatabase(one, sources.length > 1)).join("; ")}`,
      );
    const skipped: Finding[] = [];
    const isAlone = named === undefined && sources.length === 1;
    const {
      inferFunctionPermissions,
      rolesWithoutPermission,
      sessions,
      arguments: calls,
      trustedRoles,
    } = configuration;
    const verified: Verified[] = [];
    const granted = new Map<string, Expectations>();
    for (const each of sources) {
      const [source] = each.metadata.sources;
      const address = source === undefined ? undefined : addresses.get(source.name);
      if (source === undefined) continue;
      if (address === undefined) {
        skipped.push(sourceNotExamined(each, source));
        continue;
      }
      await using subject = await Subject.open(each, address, {
        inferFunctionPermissions,
        statementTimeout,
        until,
        running,
        called: sources.length > 1 ? source.name : undefined,
      });
      const verdicts = new Verdicts(subject.project, isAlone ? undefined : source.name, subject.kind, until);
      verdicts.notExamined(notExamined, subject.left);
      await verify(subject, verdicts, {
        rolesWithoutPermission,
        sessions,
        arguments: calls,
        most,
        trustedRoles,
        progress: err,
      });
      verdicts.outOfTime(minutes);
      granted.set(source.name, expectationsOf(subject.access, rolesWithoutPermission));
      verified.push({ source: source.name, access: subject.access, verdicts });
    }
    const surprises = judgeExpectations(
      expectations,
      { bySource: granted, isAlone, isWhole: named === undefined },
      given.flag("update-expectations"),
      err,
    );
    const findings = [
      ...shapeFindings(project),
      ...surprises,
      ...skipped,
      ...verified.flatMap(({ verdicts }) => verdicts.findings),
    ];
    writeDocuments(verified, isAlone, { files, origin, configuration, terminal });
    const seconds = (performance.now() - started) / 1000;
    const checks = added(verified);
    const roles = new Set(verified.flatMap(({ access }) => access.roles));
    const tables = verified.reduce((sum, { access }) => sum + access.tables.size, 0);
    const where = verified.length === 1 ? "" : ` in ${amount(verified.length, "source")}`;
    const examined = `${amount(
      Object.values(checks).reduce((sum, count) => sum + count, 0),
      "check",
    )} of ${amount(roles.size, "role")} on ${amount(tables, "table")}${where} in ${seconds.toFixed(1)} s`;
    const bySource =
      verified.length === 1
        ? {}
        : {
            sources: Object.fromEntries(verified.map(({ source, verdicts }) => [source, { checks: verdicts.counts }])),
          };
    out(
      printReport(
        { findings, examined, isWhole: given.flag("all"), more: { checks, ...bySource, seconds } },
        format,
        painter(colours),
      ),
    );
    return findings.some(counts) ? exitCodes.findings : exitCodes.fine;
  },
};
