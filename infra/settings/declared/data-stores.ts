/** Places of the database and the session store, and the CloudNativePG cluster: two sections of the list in list.ts. */
import { isSocket, readConnection, urlProblem } from "@routeql/contract/connection/connection";
import { databaseName } from "@routeql/database/migrate/settings";
import { pins } from "@routeql/pins/pins";
import { readSessionsUrl } from "@routeql/sidecar-settings/sessions-url";
import { matching, oneOf, range, serviceImage } from "../values/checks.ts";
import { annotations, bucket, objectName, schedule, webAddress } from "../values/kubernetes-checks.ts";
import { type Check, file, flag, givenSecret, number, text } from "../values/setting.ts";

const databaseUrlForm = "postgres://<administrator>:<password>@<host>[:<port>]/<database>";
/** Messages never quote the value, which contains a password. */
const databaseUrl: Check<"secret"> = (value) => {
  const problem = urlProblem(value);
  if (problem !== undefined) return `is not usable: ${problem}`;
  const { host, user, password, database = "", sslrootcert } = readConnection(value);
  if (isSocket(host)) return "names a socket, which containers do not have; give a host";
  if (sslrootcert !== undefined && sslrootcert !== "system")
    return "has sslrootcert, a file that containers do not have; give its path in databaseCaFile";
  const complete = host !== "" && user && password && databaseName.test(database);
  return complete
    ? undefined
    : `must have the form ${databaseUrlForm}, the database's name in letters, digits, _ and -`;
};

/** A contradiction between the encryption of a valid `databaseUrl` and given authorities: `databaseCaFile`, `authoritiesFile`. */
export function encryptionProblem(url: string, given: Readonly<Record<"own" | "common", boolean>>): string | undefined {
  if (urlProblem(url) !== undefined) return undefined;
  const { sslmode, sslrootcert } = readConnection(url);
  if (!given.own && !given.common && sslmode?.startsWith("verify") === true && sslrootcert === undefined)
    return `has sslmode=${sslmode}, which needs the certificate authority of the server: set databaseCaFile or authoritiesFile, or add sslrootcert=system with sslmode=verify-full`;
  if (!given.own) return undefined;
  if (sslrootcert !== undefined) return "has sslrootcert=system, but databaseCaFile is set too; remove one of them";
  if (sslmode !== undefined && ["disable", "allow", "prefer"].includes(sslmode))
    return `has sslmode=${sslmode}, but databaseCaFile requires TLS; remove one of them`;
  return undefined;
}

const sessionsUrlForm = "redis[s]://[<user>]:<password>@<host>[:<port>][/<number>]";
const sessionsUrl: Check<"secret"> = (value) => {
  const read = readSessionsUrl(value);
  if (typeof read === "string") return read;
  return read.password === undefined ? `must have the form ${sessionsUrlForm}` : undefined;
};

/** Places of the database and the session store. */
export const partSettings = {
  database: text({
    argument: "database.kind",
    environment: "DATABASE",
    structural: true,
    default: "single",
    meaning: "Database: the stack's own, `external` or, on Kubernetes, `cloudnative-pg`. A change does not move data.",
    ...oneOf("single", "external", "cloudnative-pg"),
  }),
  databaseUrl: givenSecret({
    argument: "database.url",
    environment: "DATABASE_URL",
    meaning: "URL of the external database and of an administrator, used only by the migrate job.",
    check: databaseUrl,
    allowed: databaseUrlForm,
  }),
  databaseCaFile: file({
    argument: "database.caFile",
    environment: "DATABASE_CA_FILE",
    meaning:
      "Certificate authority (PEM) of the external database; requires TLS. Host names are checked unless the URL has `sslmode=require` or `verify-ca`.",
  }),
  sessions: text({
    argument: "sessions.kind",
    environment: "SESSIONS",
    structural: true,
    default: "single",
    meaning: "Session store: the stack's own or an `external` one.",
    ...oneOf("single", "external"),
  }),
  sessionsUrl: givenSecret({
    argument: "sessions.url",
    environment: "SESSIONS_URL",
    meaning: "URL of the external session store, Redis or Valkey.",
    check: sessionsUrl,
    allowed: sessionsUrlForm,
  }),
  sessionsCaFile: file({
    argument: "sessions.caFile",
    environment: "SESSIONS_CA_FILE",
    meaning: "Certificate authority (PEM) of the external session store; requires TLS.",
  }),
} as const;

const absolutePath = matching(/^\/[^:]+$/, "an absolute path");

/** The backup before an update, and the continuous archive of the stack's own database on Docker. */
export const archiveSettings = {
  backupBeforeUpdate: flag({
    argument: "database.backupBeforeUpdate",
    environment: "BACKUP_BEFORE_UPDATE",
    default: true,
    defaultIn: { local: false },
    meaning: "`npm run up` first backs up the database, if migrations are new or its image changes.",
  }),
  archive: flag({
    argument: "database.archive",
    environment: "ARCHIVE",
    structural: true,
    default: true,
    defaultIn: { local: false },
    meaning: "Docker: archive all changes and back up every day. Requires `database=single` and `images=built`.",
  }),
  archiveDirectory: text({
    argument: "database.archiveDirectory",
    environment: "ARCHIVE_DIRECTORY",
    structural: true,
    meaning: "Docker: host directory of the archive, owned by user 10105, best on another disk. Without it: a volume.",
    ...absolutePath,
  }),
  archiveKey: givenSecret({
    argument: "database.archiveKey",
    environment: "ARCHIVE_KEY",
    meaning: "Docker: key of an archive whose stack has lost its state. Without it: a generated one.",
  }),
  archiveHour: number({
    argument: "database.archiveHour",
    environment: "ARCHIVE_HOUR",
    default: 2,
    meaning: "Docker: hour of the daily backup, UTC.",
    ...range(0, 23),
  }),
  archiveQueueMegabytes: number({
    argument: "database.archiveQueueMegabytes",
    environment: "ARCHIVE_QUEUE_MEGABYTES",
    default: 4096,
    meaning:
      "Docker: MiB of changes that wait for an unreachable archive. Further changes are dropped until the next backup.",
    ...range(64, 1_048_576),
  }),
} as const;

export const cloudNativePgSettings = {
  databaseInstances: number({
    argument: "database.instances",
    environment: "DATABASE_INSTANCES",
    default: 3,
    meaning: "CloudNativePG: instances of the database, one of them the primary.",
    ...range(1, 9),
  }),
  databaseReadFromCopies: flag({
    argument: "database.readFromCopies",
    environment: "DATABASE_READ_FROM_COPIES",
    default: true,
    meaning: "CloudNativePG: let the engine read from replicas. Some Hasura versions require `false`.",
  }),
  databaseClusterImage: text({
    argument: "database.clusterImage",
    environment: "DATABASE_CLUSTER_IMAGE",
    default: pins.postgresCluster.image,
    meaning: "CloudNativePG: the image of Postgres 17.",
    ...serviceImage(),
  }),
  databaseOperatorNamespace: text({
    argument: "database.operatorNamespace",
    environment: "DATABASE_OPERATOR_NAMESPACE",
    default: "cnpg-system",
    meaning: "CloudNativePG: namespace of the operator.",
    ...objectName,
  }),
  databaseServiceAccountAnnotations: text({
    argument: "database.serviceAccountAnnotations",
    environment: "DATABASE_SERVICE_ACCOUNT_ANNOTATIONS",
    meaning:
      "CloudNativePG: annotations of the instances' service account, such as the role of backups without an access key. Instances that run need a restart.",
    ...annotations,
  }),
  backupDestination: text({
    argument: "database.backupDestination",
    environment: "BACKUP_DESTINATION",
    meaning:
      "Object storage folder for the archive on Docker, or for the backups of CloudNativePG, which has none without it.",
    ...bucket,
  }),
  backupEndpoint: text({
    argument: "database.backupEndpoint",
    environment: "BACKUP_ENDPOINT",
    meaning: "Endpoint of an object storage other than Amazon's. Docker: https.",
    ...webAddress,
  }),
  backupRegion: text({
    argument: "database.backupRegion",
    environment: "BACKUP_REGION",
    meaning:
      "Region of the object storage: for Amazon outside of us-east-1, and for an endpoint that does not contain it. Without it: the endpoint's, or us-east-1.",
    ...matching(/^[A-Za-z0-9][A-Za-z0-9-]{0,62}$/, "the name of a region"),
  }),
  backupAccessKeyId: givenSecret({
    argument: "database.backupAccessKeyId",
    environment: "BACKUP_ACCESS_KEY_ID",
    meaning:
      "Access key id for the object storage. CloudNativePG without it: the role of the service account or of the nodes.",
  }),
  backupSecretAccessKey: givenSecret({
    argument: "database.backupSecretAccessKey",
    environment: "BACKUP_SECRET_ACCESS_KEY",
    meaning: "Secret access key for the object storage.",
  }),
  backupCaFile: file({
    argument: "database.backupCaFile",
    environment: "BACKUP_CA_FILE",
    meaning: "Certificate authority (PEM) of the object storage.",
  }),
  backupSchedule: text({
    argument: "database.backupSchedule",
    environment: "BACKUP_SCHEDULE",
    default: "0 0 2 * * *",
    meaning: "CloudNativePG: schedule of full backups, UTC, starting with the second.",
    ...schedule,
  }),
  backupRetentionDays: number({
    argument: "database.backupRetentionDays",
    environment: "BACKUP_RETENTION_DAYS",
    default: 30,
    meaning: "Days for which backups and archived changes are kept.",
    ...range(1, 3650),
  }),
} as const;
