import { expect, test } from "vitest";
import { Failure } from "@routeql/host/failure";
import type { Execute } from "@routeql/host/program-streams";
import { alertProblems, readAlerts } from "./alerts.ts";
import { archiveAdvice, readArchiveFacts } from "./archive-facts.ts";
import { changesOf } from "../report/collect.ts";
import { unreadableDatabase } from "./database-problems.ts";
import { factProblems, serviceProblems, withMissing } from "./problems.ts";
import { askInside, healthDetail } from "./health-detail.ts";
import type { DatabaseFacts, FeedFacts, FeedGap, ServiceState, StatusReport } from "./report.ts";
import { NotUp } from "../foundation/command.ts";
import { withFound } from "./found.ts";
import { age, statusText } from "./text.ts";

const now = Date.parse("2026-05-04T10:00:00Z");
const service = (name: string, more: Partial<ServiceState> = {}): ServiceState => ({
  service: name,
  container: `routeql-dev-${name}`,
  kind: "service",
  state: "running",
  health: "healthy",
  image: `routeql/${name}:0123456789ab`,
  restarts: 0,
  since: "2026-05-04T08:00:00Z",
  ...more,
});
const migrated = service("migrate", { kind: "job", state: "exited", health: undefined, exitCode: 0 });
const facts: DatabaseFacts = {
  version: "17.12",
  migrations: ["0001_a", "0002_b"],
  keys: [{ state: "signing", since: "2026-05-01T00:00:00Z", retiresAt: null }],
  newestUpdate: "2026-05-04T09:59:00.000Z",
  newestHijack: null,
  bytes: 12_000_000,
  archiver: { failed: 0, failsSince: null },
};
const endpoint = { url: "https://localhost", status: 200, certificateExpires: "2027-05-04T10:00:00Z" };
const good = { endpoint, database: facts, expectedMigrations: ["0001_a", "0002_b"] };

test("reports no problem for healthy services and a finished job", () => {
  expect(serviceProblems([service("engine"), migrated], "dev")).toEqual([]);
  expect(factProblems(good, {}, "local", now)).toEqual([]);
});

test("names a running container without a limit of processes", () => {
  expect(serviceProblems([service("engine", { unlimitedProcesses: true })], "dev")).toEqual([
    { subject: "engine", reason: "has no limit of processes", next: "npm run up -- --stack dev" },
  ]);
});

test.each([
  [
    "a stopped service",
    service("engine", { state: "exited", health: undefined, exitCode: 137 }),
    "stopped with exit code 137",
  ],
  [
    "a service without memory",
    service("engine", { state: "exited", health: undefined, exitCode: 137, detail: "it exceeded its memory limit" }),
    "stopped with exit code 137: it exceeded its memory limit",
  ],
  [
    "an unhealthy service",
    service("engine", { health: "unhealthy", detail: "its metadata is inconsistent" }),
    "runs but is unhealthy: its metadata is inconsistent",
  ],
  [
    "a restarting service",
    service("engine", { state: "restarting", health: undefined, detail: "no such file" }),
    "is restarting: no such file",
  ],
  [
    "a failed job",
    service("migrate", { kind: "job", state: "exited", health: undefined, exitCode: 1, detail: "syntax error" }),
    "failed with exit code 1: syntax error",
  ],
])("names %s, the reason and the next command", (_, state, reason) => {
  expect(serviceProblems([state], "dev")).toEqual([
    {
      subject: state.service,
      reason,
      next: `npm run logs -- --stack dev --tail 50 ${state.service}, then npm run up -- --stack dev`,
    },
  ]);
});

test("names the command that resumes a paused service", () => {
  expect(serviceProblems([service("engine", { state: "paused", health: undefined })], "local")).toMatchObject([
    { reason: "is paused", next: "docker unpause routeql-dev-engine" },
  ]);
});

test("names a service whose container was removed", () => {
  const states = withMissing(
    [service("gateway")],
    [{ service: "engine", container: "routeql-dev-engine", image: "routeql/engine:1" }],
  );
  expect(serviceProblems(states, "local")).toEqual([
    { subject: "engine", reason: "has no container", next: "npm run up" },
  ]);
});

test("shows the containers of a stack whose files are lost", () => {
  const found = [service("gateway"), service("database", { state: "exited", exitCode: 137 })];
  const lastLines = ["routeql-dev-database exited (137)", "routeql-dev-gateway healthy"];
  expect(withFound(new NotUp("The stack dev is not up"), "dev", found)).toMatchObject({
    message: "The stack dev has 2 containers here, but no .routeql/dev/access.env",
    lastLines,
    remedy: expect.stringContaining("npm run up -- --stack dev") as string,
  });
  const foreign = new Failure("The stack dev belongs to the checkout /a", { remedy: "use another name" });
  expect(withFound(foreign, "dev", found)).toMatchObject({
    message: foreign.message,
    lastLines,
    remedy: foreign.remedy,
  });
  expect(withFound(foreign, "dev", [])).toBe(foreign);
});

test("lists the cause before the services that depend on it", () => {
  const states = [
    service("gateway", { health: "unhealthy" }),
    service("engine", { health: "unhealthy" }),
    service("database", { state: "exited", exitCode: 0 }),
  ];
  expect(serviceProblems(states, "local").map(({ subject }) => subject)).toEqual(["database", "engine", "gateway"]);
});

const at = (certificateExpires: string) => ({ endpoint: { ...endpoint, certificateExpires } });
const database = (more: Partial<DatabaseFacts>) => ({ database: { ...facts, ...more } });
const ended = { gap: 3, since: "2026-05-04T08:00:00Z", until: "2026-05-04T08:10:00Z", reason: "connection lost" };
const lasts = { gap: null, since: "2026-05-04T09:00:00Z", until: null, reason: "no feed" };
const feedWith = (...open: readonly FeedGap[]): FeedFacts => ({
  source: "ris-live",
  coveredUntil: "2026-05-04T09:59:57Z",
  gaps: open,
});
const gaps = (...open: readonly FeedGap[]) => database({ feeds: [feedWith(...open)] });
const unusable = "ldaps://a.example.net cannot be used: connect ECONNREFUSED";

test.each<[string, string, object, Parameters<typeof factProblems>[1]?]>([
  [
    "endpoint",
    "https://localhost does not answer: connect ECONNREFUSED",
    { endpoint: { url: "https://localhost", error: "connect ECONNREFUSED" } },
  ],
  [
    "endpoint",
    "clients refuse the certificate of https://localhost: certificate has expired",
    { endpoint: { url: "https://localhost", error: "certificate has expired", refusedCertificate: true } },
  ],
  [
    "public name",
    "does not lead to the published address, which answers: a.example.net leads to 192.0.2.9: connect ECONNREFUSED",
    { endpoint: { ...endpoint, nameProblem: "a.example.net leads to 192.0.2.9: connect ECONNREFUSED" } },
  ],
  ["endpoint", "https://localhost/healthz answers 503", { endpoint: { ...endpoint, status: 503 } }],
  ["certificate", "expired at 2026-05-04T09:00:00Z", at("2026-05-04T09:00:00Z")],
  ["certificate", "expires at 2026-05-07T11:00:00Z, in 3 days", at("2026-05-07T11:00:00Z")],
  ["database", "is read-only, so logins and changes fail", database({ readOnly: true })],
  ["database", "is a standby, so logins and changes fail", database({ standby: true })],
  ["database", "is a standby, so logins and changes fail", database({ standby: true, readOnly: true })],
  ["database", "has 90 of 97 connections in use", database({ connections: { used: 90, most: 97 } })],
  ["clock", "that of the database is 5 min behind this machine's", database({ clockDistance: -300_000 })],
  [
    "clock",
    "the database has a record of 2026-05-05T10:00:00Z, which is 1 d in the future",
    database({ newestRecord: "2026-05-05T10:00:00Z" }),
  ],
  ["migrations", "not applied: 0003_c", { expectedMigrations: ["0001_a", "0002_b", "0003_c"] }],
  ["migrations", "applied by a later version: 0002_b", { expectedMigrations: ["0001_a"] }],
  [
    "signing keys",
    "no key signs tokens",
    database({ keys: [{ state: "next", since: "2026-05-05T00:00:00Z", retiresAt: null }] }),
  ],
  [
    "RPKI",
    "the newest list of payloads is of 2026-05-01T00:00:00Z, 3 d old",
    database({ vrpsBuilt: "2026-05-01T00:00:00Z" }),
  ],
  [
    "feed",
    "updates of ris-live are missing from 2026-05-04T08:00:00Z to 2026-05-04T08:10:00Z: connection lost",
    gaps(ended),
  ],
  ["feed", "updates of ris-live are missing since 2026-05-04T09:00:00Z: no feed", { ...gaps(lasts), hasFeed: true }],
  [
    "feed",
    "updates of ris-live are missing since 2026-05-04T09:54:00Z: the feed stores nothing and reports no cause",
    { ...database({ feeds: [{ ...feedWith(), coveredUntil: "2026-05-04T09:54:00Z" }] }), hasFeed: true },
  ],
  ["RPKI", "the feed has loaded no list of payloads", { vrpsSince: "2026-05-04T09:49:00Z" }],
  ["positions", "updates of before the upgrade are not in view_bgpupdates_log", database({ unfilled: true })],
  ["data", "the newest update is of 2026-05-04T09:59:00.000Z", {}, { dataAge: 30_000 }],
  ["backup", "no backup is recorded", {}, { backupAge: 1000 }],
  [
    "backup",
    "the last backup is of 2026-05-01T00:00:00.000Z",
    database({ lastBackup: { at: "2026-05-01T00:00:00.000Z" } }),
    { backupAge: 86_400_000 },
  ],
  [
    "archive",
    "changes do not reach the archive: the disk of the archive is full.",
    { archive: { newestBackup: "2026-05-04T03:00:00.000Z", problem: "the disk of the archive is full." } },
  ],
  [
    "archive",
    "changes do not reach the archive (34 failures, the last at 2026-05-04T09:58:00Z)",
    database({ archiver: { failed: 34, failsSince: "2026-05-04T09:58:00Z" } }),
  ],
  [
    "archive",
    "the newest backup in the archive is of 2026-05-01T03:00:00.000Z",
    // The database may claim another time.
    {
      archive: { newestBackup: "2026-05-01T03:00:00.000Z" },
      ...database({ lastBackup: { at: "2026-05-04T09:00:00Z" } }),
    },
  ],
  [
    "archive",
    "the archive has no backup",
    {
      archive: { newestBackup: null },
      archiveSince: "2026-05-04T07:00:00Z",
      ...database({ lastBackup: { at: "2026-05-04T09:00:00Z" } }),
    },
  ],
  [
    "drill",
    "no restore drill has passed",
    { archive: { newestBackup: "2026-05-04T03:00:00.000Z" }, archiveSince: "2026-05-03T09:00:00Z" },
  ],
  [
    "drill",
    "the last restore drill passed at 2026-04-26T09:00:00Z",
    {
      archive: { newestBackup: "2026-05-04T03:00:00.000Z" },
      archiveSince: "2026-05-04T09:00:00Z",
      ...database({ lastDrill: { at: "2026-04-26T09:00:00Z" } }),
    },
  ],
  ["directory", unusable, { directory: { text: unusable, fails: true } }],
  ["drift", "the stack differs from its program: update dev-engine", { drift: ["update dev-engine"] }],
])("reports the %s with a next command: %s", (subject, reason, changes, limits = {}) => {
  expect(factProblems({ ...good, ...changes }, limits, "dev", now)).toEqual([
    { subject, reason, next: expect.stringMatching(/npm run|docs\/operate/) as string },
  ]);
});

test.each([
  [{ connections: { used: 90, most: 97 } }, "docs/operate/runbooks.md#databaseconnectionsexhausted"],
  [{ standby: true }, "let DATABASE_URL name the primary: docs/operate/deploy.md#external-database-and-session-store"],
])("names the remedy for a database with %j", (changes, next) => {
  expect(factProblems({ ...good, ...database(changes) }, {}, "dev", now)).toMatchObject([{ next }]);
});

const ofAnother = {
  newestBackup: "2026-05-04T03:00:00.000Z",
  problem: "the archive belongs to another database. Restore from it (npm run restore -- --latest).",
};

test.each([
  [ofAnother, {}, "npm run restore -- --stack dev --latest; docs/operate/backup.md#on-an-empty-machine"],
  [{ ...ofAnother, problem: "the disk of the archive is full." }, {}, "docs/operate/runbooks.md#archivefails"],
  [{ newestBackup: "2026-05-04T03:00:00.000Z" }, { backupAge: 3_600_000 }, "docs/operate/runbooks.md#backupold"],
])("names the remedy for an archive with the facts %j", (archive, limits, next) => {
  expect(factProblems({ ...good, archive }, limits, "dev", now)).toMatchObject([{ next }]);
});

test("a restore into a new database ends with the command that restores the archive", () => {
  expect(archiveAdvice(ofAnother, "site")).toEqual([
    expect.stringMatching(/belongs to the former database .*: npm run restore -- --stack site --latest$/),
  ]);
  expect(archiveAdvice({ newestBackup: null }, "site")).toEqual([]);
});

test("blames no database for a way to it that is slow", () => {
  expect(unreadableDatabase(new Error("no answer within 20 s"), 20_000, "dev")).toEqual({
    subject: "database",
    reason: "did not answer within 20 s, so its facts were not checked",
    next: "npm run psql -- --stack dev -c 'select 1', then npm run status -- --stack dev",
  });
  expect(unreadableDatabase(new Error("password authentication failed"), undefined, "local")).toEqual({
    subject: "database",
    reason: "cannot be read: password authentication failed",
    next: "npm run psql -- -c 'select 1'",
  });
  const failure = new Failure("the passphrase is wrong", { remedy: "put the file back." });
  expect(unreadableDatabase(failure, undefined, "local").next).toBe("put the file back.");
});

test.each([
  ["certificate is not yet valid", "npm run up -- --stack dev renews a self-signed certificate"],
  ["certificate has expired", "docs/operate/tls.md#certificate-expired"],
  ["self-signed certificate", "name its authority in TLS_CA_FILE"],
])("names the remedy for an endpoint whose %s", (error, next) => {
  const endpoint = { url: "https://localhost", error, refusedCertificate: true };
  expect(factProblems({ ...good, endpoint }, {}, "dev", now)).toMatchObject([
    { next: expect.stringContaining(next) as string },
  ]);
});

test("blames no database for a cache of this machine that is not writable", () => {
  const error = Object.assign(new Error("EROFS"), { code: "EROFS", syscall: "mkdir", path: "/nowhere/.cache" });
  expect(unreadableDatabase(error, undefined, "dev")).toEqual({
    subject: "this machine",
    reason: "/nowhere/.cache cannot be written: the file system is read-only",
    next: expect.stringContaining("XDG_CACHE_HOME") as string,
  });
});

test("names the command that fills a gap, and expects no feed where none is configured", () => {
  const [problem] = factProblems({ ...good, ...gaps(ended) }, {}, "dev", now);
  expect(problem?.next).toBe("npm run load -- --stack dev --fill-gap 3 FILE…; docs/operate/runbooks.md#feedgap");
  expect(factProblems({ ...good, ...gaps(lasts) }, {}, "dev", now)).toEqual([]);
  const many = Array.from({ length: 12 }, (_, index) => ({ ...ended, gap: index }));
  expect(factProblems({ ...good, ...gaps(...many) }, {}, "dev", now).map(({ reason }) => reason)).toEqual([
    ...Array<unknown>(5).fill(expect.stringContaining("missing from")),
    "7 earlier gaps of ris-live",
  ]);
});

test("gives a new feed time for its first list of RPKI payloads", () => {
  expect(factProblems({ ...good, vrpsSince: "2026-05-04T09:55:00Z" }, {}, "dev", now)).toEqual([]);
  const loaded = { ...good, ...database({ vrpsBuilt: "2026-05-04T09:00:00Z" }), vrpsSince: "2026-05-01T09:55:00Z" };
  expect(factProblems(loaded, {}, "dev", now)).toEqual([]);
});

test("accepts a new archive before its first backup, and an archive with a backup of today", () => {
  const archive = (newestBackup: string | null) => ({
    ...good,
    archive: { newestBackup },
    archiveSince: "2026-05-04T09:00:00Z",
  });
  expect(factProblems(archive(null), {}, "dev", now)).toEqual([]);
  expect(factProblems(archive("2026-05-04T03:00:00.000Z"), {}, "dev", now)).toEqual([]);
});

test("reads the newest backup and the cause of failures from the archive", () => {
  expect(readArchiveFacts("0\t\n")).toEqual({ newestBackup: null });
  expect(readArchiveFacts("1777864800\tthe disk of the archive is full.\n")).toEqual({
    newestBackup: "2026-05-04T03:20:00.000Z",
    problem: "the disk of the archive is full.",
  });
});

test("names the resources that the steps of a preview change, each once", () => {
  const step = (op: string, name: string) => ({ op, urn: `urn:pulumi:dev::routeql::docker:index/x:X::${name}` });
  const steps = [
    step("refresh", "dev-engine"),
    step("same", "routeql-dev"),
    step("read", "dev-image"),
    step("update", "dev-engine"),
    ...["create-replacement", "replace", "delete-replaced"].map((op) => step(op, "dev-engine-network")),
    step("create", "dev-sessions"),
  ];
  expect(changesOf(steps)).toEqual(["update dev-engine", "replace dev-engine-network", "create dev-sessions"]);
});

test("reads the cause from the answer of a health endpoint", () => {
  const answer = (status: number, body: string): string =>
    `HTTP/1.1 ${status} X\r\nContent-Type: text/plain\r\n\r\n${body}`;
  expect(healthDetail(answer(200, "OK"))).toBeUndefined();
  expect(healthDetail(answer(500, "ERROR: inconsistent objects in schema"))).toBe("its metadata is inconsistent");
  expect(healthDetail(answer(500, "ERROR"))).toBe("the database does not answer it");
  expect(healthDetail(answer(503, '{"error":"x","parts":{"database":"up","sessions":"down"}}'))).toBe(
    "it cannot use sessions",
  );
  expect(healthDetail("")).toBeUndefined();
});

test("asks only services with a health endpoint", async () => {
  const scripts: (string | undefined)[] = [];
  const execute: Execute = async ([, , script]) => {
    scripts.push(script);
    return 0;
  };
  const { signal } = new AbortController();
  for (const service of ["database", "engine"]) expect(await askInside(service, execute, signal)).toBeUndefined();
  expect(scripts).toEqual([expect.stringContaining("GET /healthz?strict=true HTTP/1.0")]);
});

const report: StatusReport = {
  ...good,
  stack: "dev",
  target: "docker",
  time: "2026-05-04T10:00:00Z",
  version: "0.1.0",
  fine: true,
  problems: [],
  services: [service("engine"), migrated],
  metadataConsistent: true,
  directory: { text: "not configured", fails: false },
};

test("counts own migrations", () => {
  const database = { ...facts, ownMigrations: 2 };
  expect(statusText({ ...report, database })).toContain("  migrations     2 of 2 applied, and 2 of your own\n");
});

test("prints services and facts", () => {
  expect(statusText(report).split("\n")).toEqual([
    "Stack dev on Docker, RouteQL 0.1.0, 2026-05-04T10:00:00Z",
    "",
    "  service  state      restarts  since  version",
    "  engine   healthy    0         2 h    engine:0123456789ab",
    "  migrate  succeeded  0         2 h    migrate:0123456789ab",
    "",
    "  endpoint       https://localhost answers 200",
    "  certificate    valid until 2027-05-04T10:00:00Z (365 d)",
    "  metadata       consistent",
    "  database       Postgres 17.12, 12 MB",
    "  migrations     2 of 2 applied",
    "  signing keys   signing; signs since 2026-05-01T00:00:00Z",
    "  newest update  2026-05-04T09:59:00.000Z (1 min ago)",
    "  newest hijack  none",
    "  last backup    none",
    "  last restore   none",
    "  last drill     none",
    "  directory      not configured",
    "  503 answers    none since the start of the services",
    "  drift          not checked (--drift)",
    "",
    "All is well.",
  ]);
});

test("prints where each live source stands", () => {
  const text = (...open: readonly FeedGap[]): string =>
    statusText({ ...report, database: { ...facts, feeds: [feedWith(...open)] } });
  expect(text()).toContain("  feed           ris-live stored until 2026-05-04T09:59:57Z (3 s ago), no gap\n");
  expect(text(ended)).toContain("(3 s ago), 1 gap\n");
});

test("counts failed attempts to deliver alerts, and calls no notification delivered", () => {
  const deliveries = { sent: 3, answered: 16, failed: 16, silences: 0 };
  expect(statusText({ ...report, deliveries })).toContain(
    "  alert delivery  notifications: 3, failed attempts: 16 of 16\n",
  );
});

test("names the reasons of answers with 503", () => {
  const unavailable = [{ reason: "wait", count: 12, last: "2026-05-04T09:57:00Z" }];
  expect(statusText({ ...report, services: [service("engine", { unavailable })] })).toContain(
    "  503 answers    engine: 12 wait (3 min ago)\n",
  );
});

test("names a firewall that the published ports pass", () => {
  expect(statusText({ ...report, passedFirewalls: ["ufw"] })).toMatch(
    /firewall +ufw is active, and the published ports/,
  );
  expect(statusText(report)).not.toContain("firewall");
});

test("names the services of which processes exceeded the memory limit", () => {
  expect(statusText(report)).not.toContain("memory limit");
  expect(statusText({ ...report, memoryKills: [{ service: "database", count: 2 }] })).toContain(
    "killed at the memory limit since the start of the container: database 2 (docs/operate/runbooks.md#servicerestarts)",
  );
});

test("names the tables of live queries that are polled", () => {
  const engines = [["public.notes", "other: public.a"], ["public.notes"]].map((unnoticed) =>
    service("engine", { unnoticed }),
  );
  expect(statusText({ ...report, services: engines })).toContain(
    "  live queries   polled, without notices of changes: other: public.a, public.notes\n",
  );
});

test("names the archive of a database on Docker, or its absence", () => {
  const text = (...services: readonly ServiceState[]): string => statusText({ ...report, services });
  const official = service("database", { image: "postgres:17.12" });
  expect(text(official)).toContain("  archive        none, because the official image has no pgBackRest;");
  expect(text(service("database"))).toContain("  archive        none (setting ARCHIVE);");
  expect(text(service("database"), service("archive"))).toContain("  archive        archives every change\n");
  const unhealthy = service("archive", { health: "unhealthy" });
  expect(text(service("database"), unhealthy)).toContain("  archive        cannot be written\n");
});

test("names the missing archive of the single database on Kubernetes", () => {
  const text = (container: string): string =>
    statusText({ ...report, target: "kubernetes", services: [service("database", { container })] });
  expect(text("database-0")).toContain("  archive        none (database: single);");
  expect(text("database-1")).not.toContain("  archive ");
});

test("prints each problem with its next command", () => {
  const problems = [{ subject: "engine", reason: "is paused", next: "docker unpause routeql-dev-engine" }];
  expect(statusText({ ...report, fine: false, problems, database: undefined })).toMatch(
    /1 problem:\n {2}engine: is paused\n {4}next: docker unpause routeql-dev-engine$/,
  );
  expect([age(59_000), age(120_000), age(7_200_000), age(-1)]).toEqual(["59 s", "2 min", "2 h", "0 s"]);
});

test("reads the alerts that fire, and links each problem to its runbook", () => {
  const sample = (alertname: string, service?: string): object => ({
    metric: { alertname, alertstate: "firing", ...(service === undefined ? {} : { service }) },
    value: [1, "1"],
  });
  const alerts = readAlerts(JSON.stringify([sample("ServiceDown", "engine"), sample("DataStale")]));
  expect(alerts).toEqual([
    { name: "DataStale", service: "" },
    { name: "ServiceDown", service: "engine" },
  ]);
  expect(alertProblems(alerts!)).toEqual([
    { subject: "alert", reason: "the alert DataStale fires", next: "docs/operate/runbooks.md#datastale" },
    { subject: "engine", reason: "the alert ServiceDown fires", next: "docs/operate/runbooks.md#servicedown" },
  ]);
  expect([readAlerts("[]"), readAlerts("no answer")]).toEqual([[], undefined]);
  expect(statusText({ ...report, alerts })).toContain("  alerts         DataStale, ServiceDown engine\n");
  expect(statusText({ ...report, alerts: [] })).toContain("  alerts         none\n");
});
