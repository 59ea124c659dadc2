import type { DatabaseFacts, EndpointState, Problem } from "./report.ts";

/** Limits in milliseconds; absent limits are not checked. */
export interface Limits {
  readonly dataAge?: number | undefined;
  readonly backupAge?: number | undefined;
}

export interface Facts {
  readonly endpoint?: EndpointState | undefined;
  readonly database?: DatabaseFacts | undefined;
  readonly expectedMigrations: readonly string[];
  readonly drift?: readonly string[] | undefined;
}

const day = 86_400_000;
/** Certificates are renewed before this; a shorter rest means that the renewal failed. */
const certificateWarning = 14 * day;

const older = (time: string | null | undefined, limit: number, now: number): boolean =>
  time === null || time === undefined || now - Date.parse(time) > limit;

/** Problems of a stack besides its services. `more` is ` -- --stack NAME` for another stack than `local`. */
export function factProblems(
  { endpoint, database, expectedMigrations, drift }: Facts,
  limits: Limits,
  more: string,
  now = Date.now(),
): Problem[] {
  const problems: Problem[] = [];
  if (endpoint?.error !== undefined)
    problems.push({
      subject: "endpoint",
      reason: `${endpoint.url} does not answer: ${endpoint.error}`,
      next: `npm run logs${more === "" ? " --" : more} --tail 50 gateway`,
    });
  else if (endpoint !== undefined && endpoint.status !== 200)
    problems.push({
      subject: "endpoint",
      reason: `${endpoint.url}/healthz answers ${endpoint.status}`,
      next: `npm run logs${more === "" ? " --" : more} --since 5m engine auth-sidecar gateway`,
    });
  const expires = endpoint?.certificateExpires;
  if (expires !== undefined && Date.parse(expires) - now < certificateWarning)
    problems.push({
      subject: "certificate",
      reason:
        Date.parse(expires) <= now
          ? `expired at ${expires}`
          : `expires at ${expires}, in ${Math.floor((Date.parse(expires) - now) / day)} days`,
      next: `npm run up${more} renews a self-signed certificate; docs/operate/tls.md describes the others`,
    });
  if (database !== undefined) problems.push(...databaseProblems(database, expectedMigrations, limits, more, now));
  if (drift !== undefined && drift.length > 0)
    problems.push({
      subject: "drift",
      reason: `the stack differs from its program: ${drift.join(", ")}`,
      next: `npm run preview${more}, then npm run up${more}`,
    });
  return problems;
}

function databaseProblems(
  { migrations, keys, newestUpdate, lastBackup }: DatabaseFacts,
  expected: readonly string[],
  { dataAge, backupAge }: Limits,
  more: string,
  now: number,
): Problem[] {
  const problems: Problem[] = [];
  const missing = expected.filter((name) => !migrations.includes(name));
  const unknown = migrations.filter((name) => !expected.includes(name));
  if (missing.length > 0)
    problems.push({ subject: "migrations", reason: `not applied: ${missing.join(", ")}`, next: `npm run up${more}` });
  if (unknown.length > 0)
    problems.push({
      subject: "migrations",
      reason: `applied by a later version: ${unknown.join(", ")}`,
      next: "use a checkout of that version: docs/operate/upgrade.md",
    });
  if (!keys.some(({ state }) => state === "signing"))
    problems.push({
      subject: "signing keys",
      reason: "no key signs tokens",
      next: `npm run logs${more === "" ? " --" : more} --tail 50 auth-sidecar, then npm run keys -- ${more === "" ? "" : `${more.replace(" -- ", "")} `}rotate`,
    });
  if (dataAge !== undefined && older(newestUpdate, dataAge, now))
    problems.push({
      subject: "data",
      reason: newestUpdate === null ? "the database has no updates" : `the newest update is of ${newestUpdate}`,
      next: "load updates: docs/operate/data.md",
    });
  if (backupAge !== undefined && older(lastBackup?.at, backupAge, now))
    problems.push({
      subject: "backup",
      reason: lastBackup === undefined ? "no backup is recorded" : `the last backup is of ${lastBackup.at}`,
      next: `npm run backup${more}`,
    });
  return problems;
}
