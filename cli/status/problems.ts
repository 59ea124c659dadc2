import { stackArgument, stackOption } from "../foundation/command.ts";
import { isOfAnother } from "./archive-facts.ts";
import { databaseProblems } from "./database-problems.ts";
import { feedProblems, older, vrpsProblems } from "./feed-problems.ts";
import type { ArchiveFacts, DatabaseFacts, EndpointState, Problem, ServiceState, StatusReport } from "./report.ts";

/** Services before the services that call them: the first problem is the likely cause of the others. */
const order = ["database", "migrate", "sessions", "auth-sidecar", "apply-metadata", "engine", "front", "gateway"];
const rank = (service: string): number => (order.includes(service) ? order.indexOf(service) : order.length);

/** Reason why a service does not work; undefined when it does. */
function reasonOf({ kind, state, health, exitCode, detail }: ServiceState): string | undefined {
  const because = detail === undefined ? "" : `: ${detail}`;
  if (state === "missing") return `has no container${because}`;
  if (kind === "job") {
    if (state === "exited" || state === "succeeded")
      return exitCode === undefined || exitCode === 0 ? undefined : `failed with exit code ${exitCode}${because}`;
    return state === "failed" ? `failed${because}` : `is ${state}${because}`;
  }
  if (state === "exited") return `stopped with exit code ${exitCode ?? "unknown"}${because}`;
  if (state !== "running") return `is ${state}${because}`;
  if (health === "unhealthy") return `runs but is unhealthy${because}`;
  return health === "starting" ? `is starting${because}` : undefined;
}

/** Problems of the services with the command that helps, causes first. `options` are the arguments after `--` for another stack. */
export function serviceProblems(states: readonly ServiceState[], stack: string): Problem[] {
  const up = `npm run up${stackArgument(stack)}`;
  return states
    .toSorted((left, right) => rank(left.service) - rank(right.service))
    .flatMap((service) => {
      const reason = reasonOf(service);
      if (reason === undefined)
        return service.unlimitedProcesses === true
          ? [{ subject: service.service, reason: "has no limit of processes", next: up }]
          : [];
      const logs = `npm run logs --${stackOption(stack)} --tail 50 ${service.service}`;
      const next =
        service.state === "paused"
          ? `docker unpause ${service.container}`
          : service.state === "missing"
            ? up
            : service.health === "starting"
              ? `${logs}, then this command again`
              : `${logs}, then ${up}`;
      return [{ subject: service.service, reason, next }];
    });
}

export function withMissing(
  found: readonly ServiceState[],
  expected: readonly { readonly service: string; readonly container: string; readonly image: string }[],
): ServiceState[] {
  const missing = expected
    .filter(({ service }) => !found.some((state) => state.service === service))
    .map(({ service, container, image }) => ({
      service,
      container,
      image,
      kind: "service" as const,
      state: "missing",
      restarts: 0,
    }));
  return [...found, ...missing].toSorted(
    (left, right) => rank(left.service) - rank(right.service) || (left.container < right.container ? -1 : 1),
  );
}

/** Limits in milliseconds; absent limits are not checked. */
export interface Limits {
  readonly dataAge?: number | undefined;
  readonly backupAge?: number | undefined;
}

export interface Facts {
  readonly endpoint?: EndpointState | undefined;
  readonly database?: DatabaseFacts | undefined;
  readonly archive?: ArchiveFacts | undefined;
  /** RFC 3339: start of the archive's service. */
  readonly archiveSince?: string | undefined;
  readonly expectedMigrations: readonly string[];
  /** Whether the service feed belongs to the stack. */
  readonly hasFeed?: boolean | undefined;
  /** RFC 3339: start of a feed that loads RPKI payloads. */
  readonly vrpsSince?: string | undefined;
  readonly directory?: StatusReport["directory"];
  readonly drift?: readonly string[] | undefined;
}

const day = 86_400_000;
/** Certificates are renewed before this; a shorter rest means that the renewal failed. */
const certificateWarning = 14 * day;

export function factProblems(
  {
    endpoint,
    database,
    archive,
    archiveSince,
    expectedMigrations,
    hasFeed = false,
    vrpsSince,
    directory,
    drift,
  }: Facts,
  limits: Limits,
  stack: string,
  now = Date.now(),
): Problem[] {
  const logs = `npm run logs --${stackOption(stack)}`;
  const up = `npm run up${stackArgument(stack)}`;
  const problems: Problem[] = [];
  if (endpoint?.refusedCertificate === true)
    problems.push({
      subject: "endpoint",
      reason: `clients refuse the certificate of ${endpoint.url}: ${endpoint.error}`,
      // OpenSSL's text. A clock that was ahead at `npm run up` leaves such a certificate.
      next: endpoint.error?.includes("certificate is not yet valid")
        ? `timedatectl shows whether the clock is right; then ${up} renews a self-signed certificate; docs/operate/your-files.md#certificates describes the others`
        : endpoint.error?.includes("certificate has expired")
          ? `${up} renews a self-signed certificate; docs/operate/tls.md#certificate-expired describes the others`
          : "correct the certificate, or name its authority in TLS_CA_FILE: docs/operate/your-files.md#certificates",
    });
  else if (endpoint?.error !== undefined)
    problems.push({
      subject: "endpoint",
      reason: `${endpoint.url} does not answer: ${endpoint.error}`,
      next: `${logs} --tail 50 gateway`,
    });
  else if (endpoint !== undefined && endpoint.status !== 200)
    problems.push({
      subject: "endpoint",
      reason: `${endpoint.url}/healthz answers ${endpoint.status}`,
      next: `${logs} --since 5m engine auth-sidecar gateway`,
    });
  if (endpoint?.nameProblem !== undefined)
    problems.push({
      subject: "public name",
      reason: `does not lead to the published address, which answers: ${endpoint.nameProblem}`,
      next: "correct its addresses in DNS, or PUBLIC_HOST or HOST_ADDRESS: docs/operate/deploy.md",
    });
  const expires = endpoint?.certificateExpires;
  if (expires !== undefined && Date.parse(expires) - now < certificateWarning)
    problems.push({
      subject: "certificate",
      reason:
        Date.parse(expires) <= now
          ? `expired at ${expires}`
          : `expires at ${expires}, in ${Math.floor((Date.parse(expires) - now) / day)} days`,
      next: `${up} renews a self-signed certificate; docs/operate/tls.md describes the others`,
    });
  if (database !== undefined)
    problems.push(...databaseProblems(database, expectedMigrations, limits.dataAge, stack, now));
  problems.push(...vrpsProblems(database, vrpsSince, now));
  problems.push(...feedProblems(database?.feeds ?? [], hasFeed, stack, now));
  problems.push(...archiveProblems({ database, archive, archiveSince }, limits, stack, now));
  problems.push(...drillProblems({ database, archive, archiveSince }, stack, now));
  if (directory?.fails === true)
    problems.push({
      subject: "directory",
      reason: directory.text,
      next: "correct the LDAP settings or the directory: docs/operate/ldap.md#troubleshoot",
    });
  if (drift !== undefined && drift.length > 0)
    problems.push({
      subject: "drift",
      reason: `the stack differs from its program: ${drift.join(", ")}`,
      next: `npm run preview${stackArgument(stack)}, then ${up}`,
    });
  return problems;
}

/** The archive makes a backup each day. */
const longestWithoutBackup = 26 * 3_600_000;
/** A new archive makes its first backup within minutes. */
const firstBackup = 2 * 3_600_000;

/** Reads the age of backups from the archive, where there is one: the database may have been changed. */
function archiveProblems(
  { database, archive, archiveSince }: Pick<Facts, "database" | "archive" | "archiveSince">,
  { backupAge }: Limits,
  stack: string,
  now: number,
): Problem[] {
  const problems: Problem[] = [];
  const add = (reason: string, next = "docs/operate/runbooks.md#archivefails"): unknown =>
    problems.push({ subject: "archive", reason, next });
  const restoresLatest = `npm run restore --${stackOption(stack)} --latest; docs/operate/backup.md#on-an-empty-machine`;
  const { failed, failsSince } = database?.archiver ?? { failed: 0, failsSince: null };
  if (archive?.problem !== undefined)
    add(
      `changes do not reach the archive: ${archive.problem}`,
      isOfAnother(archive.problem) ? restoresLatest : undefined,
    );
  else if (failsSince !== null) add(`changes do not reach the archive (${failed} failures, the last at ${failsSince})`);
  const newest = archive === undefined ? database?.lastBackup?.at : archive.newestBackup;
  const limit = backupAge ?? (archive === undefined ? Infinity : longestWithoutBackup);
  const isNew = archive !== undefined && backupAge === undefined && !older(archiveSince, firstBackup, now);
  if (limit === Infinity || (newest === null && isNew) || (archive === undefined && database === undefined))
    return problems;
  if (!older(newest, limit, now)) return problems;
  if (archive !== undefined) {
    if (archive.problem === undefined)
      add(
        newest === null ? "the archive has no backup" : `the newest backup in the archive is of ${newest}`,
        "docs/operate/runbooks.md#backupold",
      );
  } else
    problems.push({
      subject: "backup",
      reason: newest === undefined ? "no backup is recorded" : `the last backup is of ${newest}`,
      next: `npm run backup${stackArgument(stack)}`,
    });
  return problems;
}

/** As the alert DrillOld. */
const longestWithoutDrill = 8 * day;
/** The first drill follows the first backup. */
const firstDrill = day;

function drillProblems(
  { database, archive, archiveSince }: Pick<Facts, "database" | "archive" | "archiveSince">,
  stack: string,
  now: number,
): Problem[] {
  if (database === undefined || archive === undefined) return [];
  const last = database.lastDrill?.at;
  const isOld =
    last === undefined
      ? archiveSince !== undefined && older(archiveSince, firstDrill, now)
      : older(last, longestWithoutDrill, now);
  if (!isOld) return [];
  return [
    {
      subject: "drill",
      reason: last === undefined ? "no restore drill has passed" : `the last restore drill passed at ${last}`,
      next: `npm run restore --${stackOption(stack)} --drill; docs/operate/runbooks.md#drillold`,
    },
  ];
}
