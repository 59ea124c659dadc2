import { Failure, messageOf } from "@routeql/host/failure";
import { projectFolder } from "@routeql/host/paths";
import { DatabaseError } from "pg";
import { unwritable } from "../bootstrap/rights.mjs";
import { stackArgument, stackOption } from "../foundation/command.ts";
import { older } from "./feed-problems.ts";
import type { DatabaseFacts, Problem } from "./report.ts";
import { age } from "./text.ts";

/** As the alert VrpsOld. */
const longestWithoutVrps = 24 * 3_600_000;
/** Milliseconds between clocks that change no decision: tokens and sessions have times of both. */
const smallDistance = 60_000;
/** Below the alert DatabaseConnectionsExhausted: 0.95 of all connections, also the reserved ones. */
const mostConnections = 0.9;

/** @param patience milliseconds in which the facts did not arrive: a slow way to the database is no fault of it; undefined for another error */
export function unreadableDatabase(error: unknown, patience: number | undefined, stack: string): Problem {
  const problem = unwritable(error, projectFolder);
  if (problem) return { subject: "this machine", reason: problem.what, next: problem.remedy };
  // The owner has no connection either (SQLSTATE too_many_connections).
  const isFull = error instanceof DatabaseError && error.code === "53300";
  return {
    subject: "database",
    reason:
      patience === undefined
        ? `cannot be read: ${messageOf(error)}`
        : `did not answer within ${patience / 1000} s, so its facts were not checked`,
    next: isFull
      ? "docs/operate/runbooks.md#databaseconnectionsexhausted"
      : error instanceof Failure && error.remedy !== undefined
        ? error.remedy
        : `npm run psql --${stackOption(stack)} -c 'select 1'${patience === undefined ? "" : `, then npm run status${stackArgument(stack)}`}`,
  };
}

/** Whether services can write and connect, and whether the clocks agree. */
function serverProblems(
  { readOnly, standby, clockDistance = 0, newestRecord, connections }: DatabaseFacts,
  stack: string,
  now: number,
): Problem[] {
  const problems: Problem[] = [];
  if (standby === true)
    problems.push({
      subject: "database",
      reason: "is a standby, so logins and changes fail",
      next: "let DATABASE_URL name the primary: docs/operate/deploy.md#external-database-and-session-store",
    });
  else if (readOnly === true)
    problems.push({
      subject: "database",
      reason: "is read-only, so logins and changes fail",
      next: `npm run psql --${stackOption(stack)} -c "select source, sourcefile from pg_settings where name = 'default_transaction_read_only'"`,
    });
  if (connections !== undefined && connections.used >= mostConnections * connections.most)
    problems.push({
      subject: "database",
      reason: `has ${connections.used} of ${connections.most} connections in use`,
      next: "docs/operate/runbooks.md#databaseconnectionsexhausted",
    });
  const next = `timedatectl shows whether NTP sets the clock; correct it, then npm run status${stackArgument(stack)}`;
  if (Math.abs(clockDistance) > smallDistance)
    problems.push({
      subject: "clock",
      reason: `that of the database is ${age(Math.abs(clockDistance))} ${clockDistance > 0 ? "ahead of" : "behind"} this machine's`,
      next,
    });
  const ahead = newestRecord === undefined ? 0 : Date.parse(newestRecord) - (now + clockDistance);
  if (ahead > smallDistance)
    problems.push({
      subject: "clock",
      reason: `the database has a record of ${newestRecord}, which is ${age(ahead)} in the future`,
      next,
    });
  return problems;
}

export function databaseProblems(
  facts: DatabaseFacts,
  expected: readonly string[],
  dataAge: number | undefined,
  stack: string,
  now: number,
): Problem[] {
  const { migrations, keys, newestUpdate, vrpsBuilt, unfilled } = facts;
  const problems = serverProblems(facts, stack, now);
  const missing = expected.filter((name) => !migrations.includes(name));
  const unknown = migrations.filter((name) => !expected.includes(name));
  if (missing.length > 0)
    problems.push({
      subject: "migrations",
      reason: `not applied: ${missing.join(", ")}`,
      next: `npm run up${stackArgument(stack)}`,
    });
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
      next: `npm run logs --${stackOption(stack)} --tail 50 auth-sidecar, then npm run keys --${stackOption(stack)} rotate`,
    });
  if (vrpsBuilt !== undefined && older(vrpsBuilt, longestWithoutVrps, now))
    problems.push({
      subject: "RPKI",
      reason: `the newest list of payloads is of ${vrpsBuilt}, ${age(now - Date.parse(vrpsBuilt))} old`,
      next: "docs/operate/runbooks.md#vrpsold",
    });
  if (unfilled === true)
    problems.push({
      subject: "positions",
      reason: "updates of before the upgrade are not in view_bgpupdates_log",
      next: `npm run fill${stackArgument(stack)}`,
    });
  if (dataAge !== undefined && older(newestUpdate, dataAge, now))
    problems.push({
      subject: "data",
      reason: newestUpdate === null ? "the database has no updates" : `the newest update is of ${newestUpdate}`,
      next: "load updates: docs/operate/data.md",
    });
  return problems;
}
