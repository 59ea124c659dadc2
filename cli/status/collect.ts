import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { Failure, messageOf } from "@routeql/host/failure";
import { projectFolder, stackPaths } from "@routeql/host/paths";
import cliPackage from "../package.json" with { type: "json" };
import { openDatabase } from "../database/open-database.ts";
import { dockerServiceStates } from "../docker/service-states.ts";
import { placeOf } from "../kubernetes/place.ts";
import { clusterServiceStates } from "../kubernetes/service-states.ts";
import { accessOf } from "../stack/access.ts";
import { readLastRuns } from "../stack/last-runs.ts";
import { requireOwn } from "../stack/ownership.ts";
import { storedDeployment } from "../stack/stored-deployment.ts";
import { readDatabaseFacts } from "./database-facts.ts";
import { driftOf } from "./drift.ts";
import { endpointState } from "./endpoint.ts";
import { factProblems, type Limits } from "./fact-problems.ts";
import type { DatabaseFacts, Problem, ServiceState, StatusReport } from "./report.ts";
import { serviceProblems, withMissing } from "./service-problems.ts";

export interface StatusOptions {
  readonly limits: Limits;
  readonly drift: boolean;
  readonly signal: AbortSignal;
}

/** Milliseconds for the facts in the database. */
const databasePatience = 20_000;

/**
 * Collects the status of a stack. A part that cannot be read becomes a problem of the report.
 * @throws Failure when the stack is not up, or belongs to another checkout
 */
export async function collectStatus(stack: string, { limits, drift, signal }: StatusOptions): Promise<StatusReport> {
  const access = await accessOf(stack);
  const place = await placeOf(stack);
  if (!place) await requireOwn(stack);
  const found = place ? await clusterServiceStates(place, stack, signal) : await dockerServiceStates(stack, signal);
  const services = withMissing(found, await expectedServices(stack));
  const more = stack === "local" ? "" : ` -- --stack ${stack}`;
  const problemsOfServices = serviceProblems(services, stack);
  const databaseIsDown = problemsOfServices.some(({ subject }) => subject === "database");
  const [endpoint, database, { backup: lastBackup, restore: lastRestore }, expectedMigrations, changes] = await Promise.all([
    endpointState(access),
    databaseIsDown ? undefined : databaseFacts(stack, more, signal),
    readLastRuns(stack),
    migrationNames(),
    drift ? driftOf(stack, signal) : undefined,
  ]);
  const facts = { endpoint, database: database?.facts, expectedMigrations, lastBackup, drift: changes };
  const problems = [...problemsOfServices, ...(database?.problems ?? []), ...factProblems(facts, limits, more)];
  return {
    stack,
    target: place ? "kubernetes" : "docker",
    time: new Date().toISOString(),
    version: cliPackage.version,
    fine: problems.length === 0,
    problems,
    services,
    ...facts,
    metadataConsistent: metadataConsistent(services),
    lastRestore,
  };
}

/** Services that the last update created, from the outputs in the state. */
async function expectedServices(stack: string): Promise<readonly { service: string; container: string; image: string }[]> {
  const { resources = [] } = await storedDeployment(stackPaths(stack), stack);
  const services = resources.find(({ type }) => type === "pulumi:pulumi:Stack")?.outputs?.["services"];
  return Array.isArray(services) ? (services as { service: string; container: string; image: string }[]) : [];
}

async function databaseFacts(stack: string, more: string, signal: AbortSignal): Promise<{ facts?: DatabaseFacts; problems: readonly Problem[] }> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Failure(`no answer within ${databasePatience / 1000} s`)), databasePatience);
  const reading = readDatabaseFacts(() => openDatabase(stack, "owner"));
  reading.catch(() => undefined);
  try {
    return { facts: await Promise.race([reading, late]), problems: [] };
  } catch (error) {
    signal.throwIfAborted();
    return { problems: [{ subject: "database", reason: `cannot be read: ${messageOf(error)}`, next: `npm run psql${more === "" ? " --" : more} -c 'select 1'` }] };
  } finally {
    clearTimeout(timer);
  }
}

const migrationNames = async (): Promise<string[]> =>
  (await readdir(join(projectFolder, "database/migrations")))
    .filter((name) => name.endsWith(".sql"))
    .map((name) => name.replace(/\.sql$/, ""))
    .toSorted();

/** The engine's health check is strict: it fails while a part of the metadata is inconsistent. */
function metadataConsistent(services: readonly ServiceState[]): boolean | undefined {
  const engines = services.filter(({ service }) => service === "engine");
  if (engines.some(({ detail }) => detail?.includes("metadata") === true)) return false;
  return engines.length > 0 && engines.every(({ health }) => health === "healthy") ? true : undefined;
}
