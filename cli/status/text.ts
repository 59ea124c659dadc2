import { feedText } from "./feed-problems.ts";
import type { ServiceState, StatusReport } from "./report.ts";

const units = [
  [86_400_000, "d"],
  [3_600_000, "h"],
  [60_000, "min"],
  [1000, "s"],
] as const;

/** `3 h`, `12 s` */
export function age(milliseconds: number): string {
  const [size, unit] = units.find(([each]) => milliseconds >= each) ?? [1000, "s"];
  return `${Math.max(0, Math.floor(milliseconds / size))} ${unit}`;
}

function table(rows: readonly (readonly string[])[]): string[] {
  const widths = rows[0]!.map((_, column) => Math.max(...rows.map((row) => row[column]!.length)));
  return rows.map((row) => `  ${row.map((cell, column) => cell.padEnd(widths[column]!)).join("  ")}`.trimEnd());
}

export function stateText({ kind, state, health, exitCode }: ServiceState): string {
  if (kind === "job" && (state === "succeeded" || (state === "exited" && exitCode === 0))) return "succeeded";
  if (state === "running") return health ?? "running";
  return exitCode === undefined ? state : `${state} (${exitCode})`;
}

const ago = (time: string | null | undefined, now: number): string =>
  time === null || time === undefined ? "none" : `${time} (${age(now - Date.parse(time))} ago)`;

/** Answers with 503 and their reasons, such as `engine: 12 wait (3 min ago)`. */
function unavailableText(services: readonly ServiceState[], now: number): string {
  const texts = services.map(({ service, unavailable = [] }) => {
    const reasons = unavailable.map(
      ({ reason, count, last }) => `${count} ${reason} (${age(now - Date.parse(last))} ago)`,
    );
    return reasons.length === 0 ? "" : `${service}: ${reasons.join(", ")}`;
  });
  return texts.filter((text) => text !== "").join("; ") || "none since the start of the services";
}

/** The only pod of the single database on Kubernetes; CloudNativePG counts from 1. */
const singlePod = "database-0";

/** Whether the archive on Docker keeps changes; undefined for other databases, which have their own. */
function archiveText({ target, services, database: facts, archive: found }: StatusReport): string | undefined {
  const database = services.find(({ service }) => service === "database");
  if (database?.container === singlePod) return "none (database: single); only npm run backup protects the data";
  if (target !== "docker" || database === undefined) return undefined;
  const archive = services.find(({ service }) => service === "archive");
  const fails = found?.problem !== undefined || (facts?.archiver.failsSince ?? null) !== null;
  if (archive !== undefined)
    return archive.health === "unhealthy"
      ? "cannot be written"
      : fails
        ? "changes do not reach it"
        : "archives every change";
  return database.image.startsWith("routeql/database:")
    ? "none (setting ARCHIVE); only npm run backup protects the data"
    : "none, because the official image has no pgBackRest; only npm run backup protects the data";
}

/** The report as text: services, facts and problems with the next command of each. */
export function statusText(report: StatusReport): string {
  const {
    stack,
    target,
    version,
    services,
    endpoint,
    database,
    problems,
    expectedMigrations,
    metadataConsistent,
    alerts,
    deliveries,
    directory,
    drift,
  } = report;
  const now = Date.parse(report.time);
  const rows = services.map((service) => [
    target === "kubernetes" ? service.container : service.service,
    stateText(service),
    String(service.restarts),
    service.since === undefined ? "" : age(now - Date.parse(service.since)),
    service.image.replace(/^.*\/(?=[^/]+$)/, ""),
  ]);
  const keys = database?.keys.map(({ state }) => state) ?? [];
  const signing = database?.keys.find(({ state }) => state === "signing");
  const facts: (readonly [string, string])[] = [
    [
      "endpoint",
      endpoint === undefined ? "not checked" : `${endpoint.url} ${endpoint.error ?? `answers ${endpoint.status}`}`,
    ],
    [
      "certificate",
      endpoint?.certificateExpires === undefined
        ? "unknown"
        : `valid until ${endpoint.certificateExpires} (${age(Date.parse(endpoint.certificateExpires) - now)})`,
    ],
    ["metadata", metadataConsistent === undefined ? "unknown" : metadataConsistent ? "consistent" : "inconsistent"],
  ];
  if ((report.passedFirewalls ?? []).length > 0)
    facts.push([
      "firewall",
      `${report.passedFirewalls!.join(", ")} is active, and the published ports pass it: docs/operate/deploy.md`,
    ]);
  const archive = archiveText(report);
  if (archive !== undefined) facts.push(["archive", archive]);
  if (database !== undefined) {
    const applied = expectedMigrations.filter((name) => database.migrations.includes(name)).length;
    const own = (database.ownMigrations ?? 0) === 0 ? "" : `, and ${database.ownMigrations} of your own`;
    facts.push(
      ["database", `Postgres ${database.version}, ${(database.bytes / 1_000_000).toFixed(0)} MB`],
      ["migrations", `${applied} of ${expectedMigrations.length} applied${own}`],
      ["signing keys", `${keys.join(", ") || "none"}${signing === undefined ? "" : `; signs since ${signing.since}`}`],
      ["newest update", ago(database.newestUpdate, now)],
      ["newest hijack", ago(database.newestHijack, now)],
      ...((database.feeds ?? []).length === 0
        ? []
        : [["feed", feedText(database.feeds!, (time) => ago(time, now))] as const]),
      ["last backup", ago(report.archive === undefined ? database.lastBackup?.at : report.archive.newestBackup, now)],
      ["last restore", ago(database.lastRestore?.at, now)],
      ["last drill", ago(database.lastDrill?.at, now)],
      ...(database.vrpsBuilt === undefined ? [] : [["RPKI payloads", ago(database.vrpsBuilt, now)] as const]),
    );
  } else facts.push(["database", "not readable"]);
  if (directory !== undefined) facts.push(["directory", directory.text]);
  if (alerts !== undefined)
    facts.push(["alerts", alerts.map(({ name, service }) => `${name} ${service}`.trim()).join(", ") || "none"]);
  if (deliveries !== undefined)
    facts.push(
      [
        "alert delivery",
        `notifications: ${deliveries.sent}, failed attempts: ${deliveries.failed} of ${deliveries.answered}`,
      ],
      [
        "silences",
        deliveries.silences === 0 ? "none" : `${deliveries.silences} in force: the alerts that they match are not sent`,
      ],
    );
  const kills = (report.memoryKills ?? []).map(({ service, count }) => `${service} ${count}`);
  if (kills.length > 0)
    facts.push([
      "memory",
      `processes killed at the memory limit since the start of the container: ${kills.join(", ")} (docs/operate/runbooks.md#servicerestarts)`,
    ]);
  facts.push(["503 answers", unavailableText(services, now)]);
  const unnoticed = [...new Set(services.flatMap((service) => service.unnoticed ?? []))].toSorted();
  if (unnoticed.length > 0) facts.push(["live queries", `polled, without notices of changes: ${unnoticed.join(", ")}`]);
  facts.push(["drift", drift === undefined ? "not checked (--drift)" : drift.join(", ") || "none"]);
  return [
    `Stack ${stack} on ${target === "docker" ? "Docker" : "Kubernetes"}, RouteQL ${version}, ${report.time}`,
    "",
    ...table([["service", "state", "restarts", "since", "version"], ...rows]),
    "",
    ...table(facts),
    "",
    ...(problems.length === 0
      ? ["All is well."]
      : [
          `${problems.length} ${problems.length === 1 ? "problem" : "problems"}:`,
          ...problems.flatMap(({ subject, reason, next }) => [`  ${subject}: ${reason}`, `    next: ${next}`]),
        ]),
  ].join("\n");
}
