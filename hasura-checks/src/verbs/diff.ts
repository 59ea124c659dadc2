import { type Command, exitCodes, type Given, painter, type Terminal } from "../cli/command.ts";
import { type Endpoint, endpointOf, endpointOptions, exportMetadata, NoMetadataApi } from "../cli/endpoint.ts";
import { UsageError } from "../cli/usage-error.ts";
import { commonOptions, type Configuration, metadataDirectory, readConfiguration } from "../configuration.ts";
import { adminSchema, drift, schemaDrift } from "../diff/drift.ts";
import type { Finding } from "../findings/finding.ts";
import { formatOf, printReport } from "../reports/print.ts";
import { databaseAddresses, databaseOptions, Databases } from "../metadata/database.ts";
import { examinable, readProject, type ReadProject } from "../metadata/project.ts";
import { readBase } from "../metadata/revision.ts";
import { applyRules } from "../rules/apply.ts";
import {
  breakingChange,
  changedPermission,
  dangerousChange,
  narrowedPermission,
  widenedPermission,
} from "../rules/revisions.ts";
import { formatOptions } from "./lint.ts";

interface Compared {
  readonly findings: readonly Finding[];
  readonly examined: string;
}

async function againstEngine(project: ReadProject, endpoint: Endpoint): Promise<Compared> {
  let running: unknown;
  try {
    running = await exportMetadata(endpoint);
  } catch (error) {
    if (!(error instanceof NoMetadataApi)) throw error;
    return againstSchema(project, endpoint, error);
  }
  const differences = drift(project.whole.merged, running, {
    first: "in the repository",
    second: "in the running engine",
  });
  return {
    findings: differences.map(({ at, reason }) => ({
      rule: "drift",
      severity: "warning",
      ...project.positionOf(project.whole.locate(at)),
      reason,
      remedy: "apply the metadata of the repository, or bring the change into the repository",
    })),
    examined:
      differences.length === 0 ? "the running engine has the same metadata" : "the running engine has other metadata",
  };
}

/** Compares tables, columns and relationships with the schema of an engine that has no metadata API. */
async function againstSchema(project: ReadProject, endpoint: Endpoint, reason: NoMetadataApi): Promise<Compared> {
  const schema = await adminSchema(endpoint, reason);
  const differences = schemaDrift(project, schema);
  return {
    findings: differences.map(({ at, reason: difference }) => ({
      rule: "drift",
      severity: "warning",
      ...project.position(at),
      reason: difference,
      remedy: "apply the metadata of the repository, or bring the change into the repository",
    })),
    examined: `the engine has no metadata API; its GraphQL schema ${differences.length === 0 ? "has all" : "lacks some"} tables, columns and relationships of the metadata. Permissions were not compared: run hasura-checks permissions --endpoint`,
  };
}

async function againstBase(
  project: ReadProject,
  source: string,
  named: string,
  given: Given,
  configuration: Configuration,
  terminal: Terminal,
): Promise<Compared> {
  const base = examinable(await readBase(named, source, terminal.directory), `of ${named}`);
  await using databases = await Databases.open(databaseAddresses(given, project.metadata, terminal));
  const other = drift(project.whole.merged, base.whole.merged, { first: "now", second: `in ${named}` })
    .filter(({ concernsAccess }) => !concernsAccess)
    .map(({ at, reason }): Finding => ({
      rule: "changed",
      severity: "note",
      ...project.positionOf(project.whole.locate(at)),
      reason,
      remedy: "nothing, if the change is intended",
    }));
  const onDatabase = async (revision: ReadProject) => ({
    project: revision,
    metadata: revision.metadata,
    state: await databases?.state(revision, configuration.inferFunctionPermissions),
  });
  const [before, now] = [await onDatabase(base), await onDatabase(project)];
  const changes = applyRules({ ...now, base: before, configuration, catalogs: undefined }, [
    breakingChange,
    dangerousChange,
    widenedPermission,
    changedPermission,
    narrowedPermission,
  ]);
  const isWhole = before.state !== undefined && now.state !== undefined;
  return {
    findings: [...changes, ...other],
    examined: `compared with ${named}${!isWhole ? `, ${databases === undefined ? "without a database" : "without a database for each source there"}: the roles' schemas were not compared` : ""}`,
  };
}

export const diff: Command = {
  name: "diff",
  summary: "shows the differences of the metadata from a running engine, or from another revision",
  usage: "hasura-checks diff --endpoint URL [--admin-secret-file FILE] | --base REVISION [--database URL]",
  description: `With --endpoint: drift between the repository and a running engine, Hasura or the embedded one, by its metadata API (export_metadata). Order, defaults and short forms make no difference.

With --base: changes of permissions since another revision, wider and narrower ones, and, with a database, changes of the GraphQL schema of each role that break valid documents.`,
  options: {
    ...commonOptions,
    ...endpointOptions,
    endpoint: {
      type: "string",
      value: "URL",
      help: "the engine; without a path, its metadata API at /v1/metadata is used. For an engine without metadata API, give the address of its GraphQL API: tables, columns and relationships are compared with its schema",
    },
    base: { type: "string", value: "REVISION", help: "a revision of git, such as origin/main, or another directory" },
    ...databaseOptions,
    ...formatOptions,
  },
  examples: [
    [
      "hasura-checks diff --endpoint https://hasura.example.net --admin-secret-file secret.txt",
      "find changes by the console",
    ],
    [
      "hasura-checks diff --base origin/main --database postgres://localhost/app",
      "list the changes of this branch by role",
    ],
  ],
  outcomes: ["there is no difference", "there are differences; they are listed"],
  async run(given, terminal) {
    const format = formatOf(given.text("format"), given.flag("json"));
    const [endpoint, base] = [endpointOf(given, terminal, "/v1/metadata"), given.text("base")];
    if ((endpoint === undefined) === (base === undefined)) throw new UsageError("give either --endpoint or --base");
    const configuration = readConfiguration(given, terminal);
    const { directory } = terminal;
    const source = metadataDirectory(given, configuration, directory);
    const project = examinable(readProject(source, directory), `of ${source}`);
    const { findings, examined } =
      endpoint === undefined
        ? await againstBase(project, source, base ?? "", given, configuration, terminal)
        : await againstEngine(project, endpoint);
    terminal.out(printReport({ findings, examined, isWhole: given.flag("all") }, format, painter(terminal.colours)));
    return findings.length > 0 ? exitCodes.findings : exitCodes.fine;
  },
};
