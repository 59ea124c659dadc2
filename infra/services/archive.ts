/** Continuous archive of the stack's own database on Docker: the commands are in images/database/pgbackrest-archive.sh. */
import { derive, textOf } from "../inputs.ts";
import type { Settings } from "../settings/list.ts";
import { databaseAddress } from "./database-place.ts";
import { archiveDirectory, type ServiceDescription, type SharedDirectory } from "./description.ts";

/** A lost disk can cost five minutes of changes: those of this many seconds, and those that wait for their copy. */
const secondsBetweenCopies = 240;

const data = "/var/lib/postgresql/data";
const drill = "/var/lib/drill";
const socket = "/run/postgresql";

export type ArchiveSettings = Pick<
  Settings,
  | "archive"
  | "archiveDirectory"
  | "archiveHour"
  | "archiveQueueMegabytes"
  | "backupRetentionDays"
  | "database"
  | "images"
  | "target"
>;

/** Whether the stack has an archive. Other databases have their own; the official image has no pgBackRest. */
export const archives = ({ archive, target, database, images }: ArchiveSettings): boolean =>
  archive && target === "docker" && database === "single" && images === "built";

/** Whether the settings ask for an archive that the official image cannot keep. */
export const isWithoutArchive = (settings: ArchiveSettings): boolean =>
  settings.images === "official" && archives({ ...settings, images: "built" });

function environment(settings: ArchiveSettings): ServiceDescription["environment"] {
  return {
    POSTGRES_DB: databaseAddress.name,
    PGDATA: data,
    PGBACKREST_STANZA: "routeql",
    PGBACKREST_PG1_PATH: data,
    PGBACKREST_PG1_SOCKET_PATH: socket,
    PGBACKREST_REPO1_PATH: archiveDirectory,
    PGBACKREST_REPO1_CIPHER_TYPE: "aes-256-cbc",
    PGBACKREST_REPO1_RETENTION_FULL_TYPE: "time",
    PGBACKREST_REPO1_RETENTION_FULL: textOf(settings.backupRetentionDays),
    PGBACKREST_ARCHIVE_PUSH_QUEUE_MAX: derive(settings.archiveQueueMegabytes, (megabytes) => `${megabytes}MiB`),
    PGBACKREST_COMPRESS_TYPE: "zst",
    PGBACKREST_START_FAST: "y",
    PGBACKREST_LOCK_PATH: "/tmp/pgbackrest",
    PGBACKREST_LOG_LEVEL_FILE: "off",
    PGBACKREST_LOG_LEVEL_CONSOLE: "off",
    PGBACKREST_LOG_LEVEL_STDERR: "warn",
  };
}

function directories(settings: ArchiveSettings): Readonly<Record<string, SharedDirectory>> {
  return {
    [archiveDirectory]: { source: settings.archiveDirectory ?? "database-archive" },
    [socket]: { source: "database-socket" },
  };
}

export function withArchive(service: ServiceDescription, settings: ArchiveSettings): ServiceDescription {
  const { [socket]: _, ...temporary } = service.temporary;
  return {
    ...service,
    command: [
      ...(service.command ?? []),
      ...[
        "archive_mode=on",
        "archive_command=pgbackrest-archive push %p",
        `archive_timeout=${secondsBetweenCopies}`,
      ].flatMap((parameter) => ["-c", parameter]),
    ],
    environment: { ...environment(settings), ...service.environment },
    secrets: { ...service.secrets, ARCHIVE_KEY_FILE: "archive-key" },
    shared: directories(settings),
    temporary,
  };
}

/** Runs backups, expiry and drills. It reads the data of the database and connects to its socket; it has no network. */
export function describeArchive(settings: ArchiveSettings): ServiceDescription {
  return {
    name: "archive",
    run: "service",
    image: "database",
    command: ["pgbackrest-archive", "schedule"],
    user: 10_105,
    environment: { ...environment(settings), ARCHIVE_HOUR: textOf(settings.archiveHour), DRILL_DIRECTORY: drill },
    secrets: { ARCHIVE_KEY_FILE: "archive-key" },
    files: {},
    data: drill,
    shared: { ...directories(settings), [data]: { source: "database-data", readOnly: true } },
    temporary: { "/tmp": 64, "/dev/shm": 64 },
    ports: [],
    listens: [],
    health: { kind: "command", command: ["test", "-w", archiveDirectory] },
    resources: { memoryMegabytes: 768, cpuMillicores: 50, processes: 128 },
    calls: [],
    // The migrate job creates the table of finished runs.
    after: ["database", "migrate"],
    graceSeconds: 10,
  };
}
