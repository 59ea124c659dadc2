/** Continuous archive of the stack's own database on Docker: the commands are in images/database/pgbackrest-archive.sh. */
import type { Input } from "@pulumi/pulumi";
import { derive, textOf } from "../inputs.ts";
import type { Settings } from "../settings/list.ts";
import { databaseUser } from "./database.ts";
import { databaseAddress } from "./database-place.ts";
import {
  archiveDirectory,
  filesDirectory,
  type ServiceDescription,
  type SharedDirectory,
} from "../description/service.ts";
import { type StorageAddress, storageAddress } from "./storage-region.ts";
import type { Surroundings } from "../description/surroundings.ts";

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
  | "backupDestination"
  | "backupEndpoint"
  | "backupRegion"
  | "backupRetentionDays"
  | "database"
  | "images"
  | "target"
>;

const authorityFile = "storage/ca.pem";

/** pgBackRest's options of an object storage, in place of a directory. */
function storage(
  { backupDestination, backupEndpoint, backupRegion }: ArchiveSettings,
  authority: Surroundings["storageAuthority"],
): ServiceDescription["environment"] {
  if (backupDestination === undefined) return {};
  const given = { endpoint: backupEndpoint, region: backupRegion, destination: backupDestination };
  const place = derive(given, ({ endpoint, region, destination }) =>
    storageAddress(endpoint, region, new URL(destination).host),
  );
  const placed = (name: keyof StorageAddress): Input<string> => derive({ place }, (known) => known.place[name]);
  return {
    PGBACKREST_REPO1_TYPE: "s3",
    // A storage that does not answer holds one copy for this time and its repetitions; the limit of the queue is checked between copies.
    PGBACKREST_IO_TIMEOUT: "15",
    PGBACKREST_REPO1_PATH: derive(backupDestination, (address) => new URL(address).pathname || "/"),
    PGBACKREST_REPO1_S3_BUCKET: derive(backupDestination, (address) => new URL(address).host),
    PGBACKREST_REPO1_S3_ENDPOINT: placed("endpoint"),
    PGBACKREST_REPO1_S3_REGION: placed("region"),
    PGBACKREST_REPO1_S3_URI_STYLE: placed("style"),
    ...(authority === undefined ? {} : { PGBACKREST_REPO1_STORAGE_CA_FILE: `${filesDirectory}/${authorityFile}` }),
  };
}

const volume: SharedDirectory = { source: "database-archive" };

/** Properties of both the database and the archive. */
function parts(
  settings: ArchiveSettings,
  { storageAuthority: authority }: Pick<Surroundings, "storageAuthority">,
): Pick<ServiceDescription, "environment" | "secrets" | "files" | "callsOutside"> & {
  readonly shared: Readonly<Record<string, SharedDirectory>>;
} {
  const inStorage = settings.backupDestination !== undefined;
  return {
    environment: { ...environment(settings), ...storage(settings, authority) },
    secrets: {
      ARCHIVE_KEY_FILE: "archive-key",
      ...(inStorage ? { STORAGE_KEY_ID_FILE: "storage-key-id", STORAGE_KEY_FILE: "storage-key" } : {}),
    },
    files: authority === undefined ? {} : { [authorityFile]: authority },
    shared: {
      [archiveDirectory]: settings.archiveDirectory === undefined ? volume : { source: settings.archiveDirectory },
      // The volume stays when the archive moves: protected data cannot leave the program, and its backups are the only ones of the time before.
      ...(settings.archiveDirectory === undefined ? {} : { "/var/lib/former-archive": { ...volume, readOnly: true } }),
      [socket]: { source: "database-socket" },
    },
    ...(inStorage ? { callsOutside: ["storage"] } : {}),
  };
}

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

export function withArchive(
  service: ServiceDescription,
  settings: ArchiveSettings,
  surroundings: Pick<Surroundings, "storageAuthority"> = {},
): ServiceDescription {
  const { [socket]: _, ...temporary } = service.temporary;
  const common = parts(settings, surroundings);
  return {
    ...service,
    ...common,
    command: [
      ...(service.command ?? []),
      ...[
        "archive_mode=on",
        "archive_command=pgbackrest-archive push %p",
        `archive_timeout=${secondsBetweenCopies}`,
      ].flatMap((parameter) => ["-c", parameter]),
    ],
    environment: { ...common.environment, ...service.environment },
    secrets: { ...service.secrets, ...common.secrets },
    files: { ...service.files, ...common.files },
    temporary,
  };
}

/** Runs backups, expiry and drills. It reads the data of the database and connects to its socket; its only network is that of an object storage. */
export function describeArchive(
  settings: ArchiveSettings,
  surroundings: Pick<Surroundings, "storageAuthority"> = {},
): ServiceDescription {
  const common = parts(settings, surroundings);
  return {
    ...common,
    name: "archive",
    run: "service",
    image: "database",
    command: ["pgbackrest-archive", "schedule"],
    user: databaseUser,
    environment: { ...common.environment, ARCHIVE_HOUR: textOf(settings.archiveHour), DRILL_DIRECTORY: drill },
    data: drill,
    shared: { ...common.shared, [data]: { source: "database-data", readOnly: true } },
    temporary: { "/tmp": 64, "/dev/shm": 64 },
    ports: [],
    listens: [],
    health: { kind: "command", command: ["pgbackrest-archive", "healthy"] },
    resources: { memoryMegabytes: 768, cpuMillicores: 50, processes: 128 },
    calls: [],
    // The migrate job creates the table of finished runs.
    after: ["database", "migrate"],
    graceSeconds: 10,
  };
}
