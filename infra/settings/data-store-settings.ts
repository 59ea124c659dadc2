/**
 * Places of the database and the session store, and the database as a CloudNativePG cluster: two sections of the list in list.ts.
 * docs/operate/kubernetes.md describes the requirements of each place.
 * @module
 */
import { pins } from "@routeql/pins/pins";
import { image, oneOf, range } from "./checks.ts";
import { bucket, objectName, schedule, webAddress } from "./kubernetes-checks.ts";
import { type Check, file, flag, givenSecret, number, text } from "./setting.ts";

function attempt(value: string): URL | undefined {
  try {
    return new URL(value);
  } catch {
    return undefined;
  }
}

const databaseUrlForm = "postgres://<administrator>:<password>@<host>[:<port>]/<database>";
/** Never quotes the value, which contains a password. */
const databaseUrl: Check<"secret"> = (value) => {
  const url = attempt(value);
  const complete =
    url !== undefined &&
    /^postgres(ql)?:$/.test(url.protocol) &&
    url.username !== "" &&
    url.password !== "" &&
    url.hostname !== "" &&
    /^\/[a-z][a-z0-9_]{0,62}$/.test(url.pathname);
  return complete ? undefined : `must have the form ${databaseUrlForm}, the database's name in small letters`;
};

const sessionsUrlForm = "redis[s]://[<user>]:<password>@<host>[:<port>][/<number>]";
const sessionsUrl: Check<"secret"> = (value) => {
  const url = attempt(value);
  const complete = url !== undefined && /^rediss?:$/.test(url.protocol) && url.hostname !== "" && url.password !== "";
  return complete ? undefined : `must have the form ${sessionsUrlForm}`;
};

/** Places of the database and the session store. */
export const partSettings = {
  database: text({
    default: "single",
    meaning:
      "Database: the stack's own (`single`), an external one (`external`) or, on Kubernetes, a cluster of the operator CloudNativePG (`cloudnative-pg`). A change does not move the data.",
    ...oneOf("single", "external", "cloudnative-pg"),
  }),
  databaseUrl: givenSecret({
    meaning:
      "URL of the external database, with an administrator who may create roles and databases. Only the migrate job uses it, to create the services' roles and the database.",
    check: databaseUrl,
    allowed: databaseUrlForm,
  }),
  databaseCaFile: file({
    meaning:
      "Certificate authority (PEM) of the external database. With it every connection is encrypted and verifies the server's name.",
  }),
  sessions: text({
    default: "single",
    meaning: "Session store: the stack's own (`single`) or an external one (`external`).",
    ...oneOf("single", "external"),
  }),
  sessionsUrl: givenSecret({
    meaning: "URL of the external session store, Redis or Valkey; rediss:// encrypts and verifies the server's name.",
    check: sessionsUrl,
    allowed: sessionsUrlForm,
  }),
  sessionsCaFile: file({
    meaning:
      "Certificate authority (PEM) of the external session store, if it is not public; with it every connection is encrypted.",
  }),
} as const;

const absolutePath: Check<"text"> = (value) => (/^\/[^:]+$/.test(value) ? undefined : "must be an absolute path");

/** Continuous archive of the stack's own database on Docker. */
export const archiveSettings = {
  archive: flag({
    default: true,
    defaultIn: { local: false },
    meaning:
      "Docker with the stack's own database and built images: archive all changes and back up every day, so that any moment can be restored.",
  }),
  archiveDirectory: text({
    meaning:
      "Docker: directory of the archive on the host, owned by user 10105, such as a mounted second disk. Default: a volume, which is lost with the host's disk.",
    check: absolutePath,
    allowed: "an absolute path",
  }),
  archiveHour: number({
    default: 2,
    meaning: "Docker: hour of the daily backup, UTC. A full backup a week, differential ones on the other days.",
    ...range(0, 23),
  }),
  archiveQueueMegabytes: number({
    default: 4096,
    meaning:
      "Docker: changes that wait for an unreachable archive, in MiB. Beyond it they are dropped, and only a new backup can be restored.",
    ...range(64, 1_048_576),
  }),
} as const;

/** The database as a CloudNativePG cluster, and its backups. */
export const cloudNativePgSettings = {
  databaseInstances: number({
    default: 3,
    meaning: "CloudNativePG: instances of the database: one primary, the others replicas.",
    ...range(1, 9),
  }),
  databaseReadFromCopies: flag({
    default: true,
    meaning:
      "CloudNativePG: let the engine read from replicas. If false, it reads from the primary, as some Hasura versions require.",
  }),
  databaseClusterImage: text({
    default: pins.postgresCluster.image,
    meaning: "CloudNativePG: the image of Postgres 17.",
    ...image,
  }),
  databaseOperatorNamespace: text({
    default: "cnpg-system",
    meaning: "CloudNativePG: the operator's namespace, from which it reaches the database.",
    ...objectName,
  }),
  backupDestination: text({
    meaning: "CloudNativePG: object storage folder for backups and archived changes. Without it there are no backups.",
    ...bucket,
  }),
  backupEndpoint: text({ meaning: "CloudNativePG: endpoint of an object storage other than Amazon's.", ...webAddress }),
  backupAccessKeyId: givenSecret({
    meaning: "CloudNativePG: access key id for the object storage. Without it the nodes' role authenticates.",
  }),
  backupSecretAccessKey: givenSecret({ meaning: "CloudNativePG: secret access key for the object storage." }),
  backupSchedule: text({
    default: "0 0 2 * * *",
    meaning: "CloudNativePG: schedule of full backups in UTC: second, minute, hour, day, month, day of the week.",
    ...schedule,
  }),
  backupRetentionDays: number({
    default: 30,
    meaning:
      "CloudNativePG and the archive on Docker: days for which backups are kept, so that any moment in them can be restored.",
    ...range(1, 3650),
  }),
} as const;
