import { readFileSync, statSync, writeFileSync } from "node:fs";
import { relative, resolve } from "node:path";
import { painter } from "../cli/colours.ts";
import { type Command, exitCodes, type Given, type Surroundings } from "../cli/command.ts";
import { UsageError } from "../cli/usage-error.ts";
import { commonOptions, type Configuration, metadataDirectory, readConfiguration } from "../configuration.ts";
import { counts, type Finding } from "../findings/finding.ts";
import { amount, formatOf, printReport } from "../findings/print.ts";
import { databaseAddress, databaseOptions } from "../metadata/database.ts";
import { ofOneSource, readProject } from "../metadata/project.ts";
import { compareExpectations, expectationsOf, printExpectations, readExpectations } from "../permissions/expectations.ts";
import { renderPage } from "../permissions/page.ts";
import { renderPermissions } from "../permissions/markdown.ts";
import { Verdicts } from "../permissions/report.ts";
import { Subject } from "../permissions/subject.ts";
import { verify } from "../permissions/verify.ts";
import { formatOptions } from "./check.ts";

const defaults = { rows: 1000, timeout: 30 };

function wholeNumber(given: Given, name: string, fallback: number): number {
  const text = given.text(name);
  if (text === undefined) return fallback;
  const value = Number(text);
  if (!Number.isSafeInteger(value) || value < 1) throw new UsageError(`--${name} takes a whole number from 1, not ${text}`);
  return value;
}

/** Differences from the file of expectations; writes the file instead when asked to. */
function expectationFindings(subject: Subject, file: string | undefined, given: Given, configuration: Configuration, { directory, err }: Surroundings): readonly Finding[] {
  const update = given.flag("update-expectations");
  if (file === undefined) {
    if (update) throw new UsageError("--update-expectations needs --expectations FILE, or expectations in routeql.yaml");
    return [];
  }
  const path = resolve(directory, file);
  const found = expectationsOf(subject.access, configuration.rolesWithoutPermission);
  if (update) {
    writeFileSync(path, printExpectations(found));
    err(`wrote ${file}`);
    return [];
  }
  if (statSync(path, { throwIfNoEntry: false }) === undefined) throw new UsageError(`there is no file ${file}; --update-expectations writes it`);
  return compareExpectations(readExpectations(readFileSync(path, "utf8"), file), found).map((surprise): Finding => ({
    ...surprise,
    rule: "expectation",
    severity: "error",
    file: relative(directory, path),
    line: undefined,
    remedy: "correct the metadata or, if it is meant, run with --update-expectations and have the change reviewed",
  }));
}

function writeDocuments(subject: Subject, verdicts: Verdicts, files: readonly string[], source: string, { rolesWithoutPermission }: Configuration, { directory, err }: Surroundings): void {
  for (const file of files) {
    const options = { rolesWithoutPermission, origin: `Written from \`${source}\` by \`npx routeql permissions\`.`, notes: "" };
    if (file.endsWith(".md")) writeFileSync(resolve(directory, file), renderPermissions(subject.access, options));
    else if (file.endsWith(".html")) writeFileSync(resolve(directory, file), renderPage(subject.access, { rolesWithoutPermission, source, verified: verdicts.counts, findings: verdicts.findings }));
    else throw new UsageError(`--write takes a file that ends in .md or .html, not ${file}`);
    err(`wrote ${file}`);
  }
}

export const permissions: Command = {
  name: "permissions",
  summary: "holds what every role may read to the metadata and to SQL, on the rows of a database",
  usage: "routeql permissions --metadata DIR --database URL [--expectations FILE] [--write FILE.md|FILE.html]",
  description: `For every role, root field, operation (query, by key, aggregate, subscription, stream) and column: whether it is served or refused as the metadata declare, by introspection and by execution. For every role and table: whether the rows served are those that the filter, written in SQL, gives on the rows of this database, with the sessions that its values make, and with session variables missing, malformed and hostile. Limits, counts, relationships, hidden rows asked for by their keys, and what errors tell.

It takes seconds, and no Hasura: the embedded engine serves the metadata in this process. The database is opened read-only; a copy with a few hundred rows of each kind is enough. Mutations, actions, remote schemas and event triggers are not examined.

A file of expectations holds what each role may do, for review: written by --update-expectations, compared by every later run.`,
  options: {
    ...commonOptions,
    ...databaseOptions,
    source: { type: "string", value: "NAME", help: "the source that is looked at, where the metadata have several; each has its own database and its own file of expectations" },
    expectations: { type: "string", value: "FILE", help: "YAML file of what each role may do; differences are findings" },
    "update-expectations": { type: "boolean", help: "write the file of expectations instead of comparing with it" },
    write: { type: "string", value: "FILE", multiple: true, help: "write the table of permissions, as Markdown (.md) or as a page of its own (.html); may be given more than once" },
    rows: { type: "string", value: "NUMBER", help: `most rows that are compared one by one, for each role, table and session; default ${defaults.rows}` },
    timeout: { type: "string", value: "SECONDS", help: `most time for one statement; default ${defaults.timeout}` },
    ...formatOptions,
  },
  examples: [
    ["routeql permissions --metadata hasura-metadata --database postgres://localhost/app", "verify"],
    ["routeql permissions --expectations permissions.yaml --update-expectations", "write down what is granted, for review"],
    ["routeql permissions --source billing --database postgres://localhost/billing", "verify one source of several"],
    ["routeql permissions --write permissions.html", "a page to look at"],
  ],
  outcomes: ["all is as declared and as expected", "something is served or refused otherwise, or differs from what is expected"],
  async run(given, surroundings) {
    const started = performance.now();
    const format = formatOf(given.text("format"), given.flag("json"));
    const configuration = readConfiguration(given, surroundings);
    const { directory } = surroundings;
    const source = metadataDirectory(given, configuration, (name) => statSync(resolve(directory, name), { throwIfNoEntry: false })?.isDirectory() === true);
    const project = readProject(source, directory, undefined, (loaded) => ofOneSource(loaded, given.text("source")));
    const { metadata } = project;
    if (metadata === undefined) throw new UsageError(`the metadata cannot be read:\n${project.problems.filter(({ kind }) => kind === "invalid").map((problem) => `  ${project.positionOf(problem).file}:${project.positionOf(problem).line}: ${problem.reason}`).join("\n")}`);
    const most = wholeNumber(given, "rows", defaults.rows);
    const statementTimeout = wholeNumber(given, "timeout", defaults.timeout) * 1000;
    const address = databaseAddress(given, metadata, surroundings);
    if (address === undefined) throw new UsageError("permissions are verified on a database: give --database URL");
    await using subject = await Subject.open(project, metadata, address, { inferFunctionPermissions: configuration.inferFunctionPermissions, statementTimeout });
    const verdicts = new Verdicts(project);
    const expectations = expectationFindings(subject, given.text("expectations") ?? configuration.expectations, given, configuration, surroundings);
    const { rolesWithoutPermission, sessions } = configuration;
    await verify(subject, verdicts, { rolesWithoutPermission, sessions, most });
    writeDocuments(subject, verdicts, given.texts("write"), source, configuration, surroundings);
    const findings = [...expectations, ...verdicts.findings];
    const seconds = (performance.now() - started) / 1000;
    const examined = `${amount(verdicts.total, "check")} of ${amount(subject.access.roles.length, "role")} on ${amount(subject.access.tables.size, "table")} in ${seconds.toFixed(1)} s`;
    surroundings.out(printReport({ findings, examined, more: { checks: verdicts.counts, seconds } }, format, painter(surroundings.colours)));
    return findings.some(counts) ? exitCodes.findings : exitCodes.fine;
  },
};
