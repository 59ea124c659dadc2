import cliPackage from "../package.json" with { type: "json" };
import { within } from "@routeql/contract/within";
import { migrationNames } from "@routeql/database/migrate/migration-names";
import { Failure } from "@routeql/host/failure";
import { stackPaths } from "@routeql/host/paths";
import { type Execute, lastWords } from "@routeql/host/program-streams";
import { inSidecar } from "../stack/in-sidecar.ts";
import { roleProblems } from "../database/role-logins.ts";
import { openDatabase } from "../database/open-database.ts";
import { checkedFilesOf } from "../configuration/certificate-files.ts";
import { alertProblems } from "../status/alerts.ts";
import { stackArgument } from "../foundation/command.ts";
import { openPlace } from "../open-place.ts";
import type { StackPlace } from "../place/stack-place.ts";
import { accessOf, type StackAccess } from "../access/access.ts";
import { previewUp } from "../stack/bring-up.ts";
import type { Step } from "../stack/effects.ts";
import { storedOutputs } from "../pulumi/recovery.ts";
import { diskProblems } from "../status/disks.ts";
import { lostFileProblems, privateFileProblems } from "../status/private-files.ts";
import { memoryKills } from "../status/memory.ts";
import { storeProblems } from "../status/session-store.ts";
import { endpointState } from "../status/endpoint.ts";
import { readDatabaseFacts } from "../status/database-facts.ts";
import { withFound } from "../status/found.ts";
import { unreadableDatabase } from "../status/database-problems.ts";
import { factProblems, type Limits, serviceProblems, withMissing } from "../status/problems.ts";
import type { DatabaseFacts, Problem, ServiceState, StatusReport } from "../status/report.ts";

/** `update routeql-engine` for each resource that the steps of a preview would change. */
export const changesOf = (steps: readonly Step[]): string[] =>
  steps
    .filter(({ op }) => /^(create|update|replace|delete)$/.test(op))
    .map(({ op, urn }) => `${op} ${urn.split("::").at(-1)}`);

/** Changes that an update would make, after a refresh that changes nothing (`pulumi preview --refresh`). */
async function driftOf(stack: string, signal: AbortSignal): Promise<readonly string[]> {
  return changesOf((await previewUp({ stack, signal, log: () => undefined })).steps);
}

export interface StatusOptions {
  readonly limits: Limits;
  readonly drift: boolean;
  readonly signal: AbortSignal;
}

/** Milliseconds for the facts in the database. */
const databasePatience = 20_000;

/** Collects the status of a stack; an unreadable part becomes a problem. @throws Failure when it is not up or has another owner */
export async function collectStatus(stack: string, { limits, drift, signal }: StatusOptions): Promise<StatusReport> {
  const place = await openPlace(stack);
  const access = await accessAt(place, stack, signal);
  const found = await place.services(signal);
  const services = withMissing(found, await expectedServices(stack));
  const problemsOfServices = serviceProblems(services, stack);
  const running = found.filter(({ state }) => state === "running").map(({ service }) => service);
  const enter = (service: string): Promise<Execute> => place.enter(service);
  const databaseIsDown = problemsOfServices.some(({ subject }) => subject === "database");
  // Before the checks with limits of time: OpenSSL's verdict blocks this program.
  const { settings, problems: ofFiles } = await checkedFilesOf(stack);
  const loadsVrps = settings?.feedVrpsAddress !== undefined;
  const [
    endpoint,
    database,
    roles,
    { problems: ofPlace, archive, ...ofHost },
    directory,
    disks,
    store,
    kills,
    files,
    lost,
    changes,
  ] = await Promise.all([
    place.publishedAddress().then((published) => endpointState(access, published)),
    databaseIsDown ? undefined : databaseFacts(stack, signal),
    databaseIsDown ? [] : roleProblems(stack, signal),
    place.facts(found, signal),
    directoryState(stack, signal),
    diskProblems(running, enter, signal),
    storeProblems(running, enter, signal),
    memoryKills(running, enter, signal),
    privateFileProblems(stackPaths(stack)),
    lostFileProblems(stackPaths(stack), stack),
    drift ? driftOf(stack, signal) : undefined,
  ]);
  const shown = {
    endpoint,
    database: database?.facts,
    archive,
    expectedMigrations: migrationNames(),
    directory,
    drift: changes,
  };
  const facts = {
    ...shown,
    archiveSince: services.find(({ service }) => service === "archive")?.since,
    hasFeed: services.some(({ service }) => service === "feed"),
    vrpsSince: loadsVrps ? services.find(({ service }) => service === "feed")?.since : undefined,
  };
  const problems = [
    ...problemsOfServices,
    ...disks,
    ...store,
    ...files,
    ...lost,
    ...ofFiles,
    ...ofPlace,
    ...(database?.problems ?? []),
    ...roles.map(({ role, reason }) => ({ subject: role, reason, next: `npm run up${stackArgument(stack)}` })),
    ...factProblems(facts, limits, stack),
    ...alertProblems(ofHost.alerts ?? []),
  ];
  return {
    stack,
    target: place.target,
    time: new Date().toISOString(),
    version: cliPackage.version,
    fine: problems.length === 0,
    problems,
    services,
    ...shown,
    metadataConsistent: metadataConsistent(services),
    ...ofHost,
    memoryKills: kills,
  };
}

/** @throws Failure with what runs there, if the stack's files are lost or it has another owner */
async function accessAt(place: StackPlace, stack: string, signal: AbortSignal): Promise<StackAccess> {
  try {
    // The owner first: it is the more exact answer for a running stack whose files are lost.
    await place.requireOwn();
    return await accessOf(stack);
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    throw withFound(error, stack, await place.services(signal).catch(() => []));
  }
}

async function directoryState(stack: string, signal: AbortSignal): Promise<StatusReport["directory"]> {
  const said = lastWords();
  const streams = { output: said.stream, errors: said.stream, signal };
  const code = await inSidecar(stack, ["users", "directory"], async () => streams).catch(() => undefined);
  return code === undefined ? undefined : { text: said.lines().at(-1) ?? "", fails: code !== 0 };
}

/** Services that the last update created, from the outputs in the state. */
async function expectedServices(
  stack: string,
): Promise<readonly { service: string; container: string; image: string }[]> {
  const { services } = await storedOutputs(stackPaths(stack), stack);
  return Array.isArray(services) ? (services as { service: string; container: string; image: string }[]) : [];
}

async function databaseFacts(
  stack: string,
  signal: AbortSignal,
): Promise<{ facts?: DatabaseFacts; problems: readonly Problem[] }> {
  // Without these limits, the connection to a server that hangs would keep this program running.
  const limits = { connectionTimeoutMillis: databasePatience, query_timeout: databasePatience };
  const started = performance.now();
  const reading = readDatabaseFacts(async () => {
    const { config, ...opened } = await openDatabase(stack, "owner");
    return { ...opened, config: { ...config, ...limits } };
  });
  try {
    return { facts: await within(databasePatience, reading), problems: [] };
  } catch (error) {
    signal.throwIfAborted();
    const isSlow = performance.now() - started >= databasePatience;
    return { problems: [unreadableDatabase(error, isSlow ? databasePatience : undefined, stack)] };
  }
}

/** The engine's health check is strict: it fails while a part of the metadata is inconsistent. */
function metadataConsistent(services: readonly ServiceState[]): boolean | undefined {
  const engines = services.filter(({ service }) => service === "engine");
  if (engines.some(({ detail }) => detail?.includes("metadata") === true)) return false;
  return engines.length > 0 && engines.every(({ health }) => health === "healthy") ? true : undefined;
}
