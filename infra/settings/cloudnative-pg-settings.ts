/**
 * The database as a cluster of CloudNativePG's, and its backups: part of the list in list.ts. docs/kubernetes.md has examples.
 * @module
 */
import { image, range } from "./checks.ts";
import { bucket, objectName, schedule, webAddress } from "./kubernetes-checks.ts";
import { flag, givenSecret, number, text } from "./setting.ts";

export const cloudNativePgSettings = {
  databaseInstances: number({
    environment: "DATABASE_INSTANCES",
    default: 3,
    meaning: "CloudNativePG: copies of the database; one takes changes, the others follow it and take its place.",
    ...range(1, 9),
  }),
  databaseReadFromCopies: flag({
    environment: "DATABASE_READ_FROM_COPIES",
    default: true,
    meaning:
      "CloudNativePG: whether the engine reads from the copies, if there are any. If not, from the one that takes changes, as Hasura has to where its version cannot work on a copy.",
  }),
  databaseClusterImage: text({
    environment: "DATABASE_CLUSTER_IMAGE",
    default: "ghcr.io/cloudnative-pg/postgresql:17.9-standard-trixie",
    meaning: "CloudNativePG: the image of Postgres 17.",
    ...image,
  }),
  databaseOperatorNamespace: text({
    environment: "DATABASE_OPERATOR_NAMESPACE",
    default: "cnpg-system",
    meaning: "CloudNativePG: the namespace of the operator, which has to reach the database.",
    ...objectName,
  }),
  backupDestination: text({
    environment: "BACKUP_DESTINATION",
    meaning: "CloudNativePG: where in the object storage backups and all changes since go. Without it there are none.",
    ...bucket,
  }),
  backupEndpoint: text({
    environment: "BACKUP_ENDPOINT",
    meaning: "CloudNativePG: the address of an object storage other than Amazon's.",
    ...webAddress,
  }),
  backupAccessKeyId: givenSecret({
    environment: "BACKUP_ACCESS_KEY_ID",
    meaning: "CloudNativePG: the login for the object storage. Without it the role of the nodes counts.",
  }),
  backupSecretAccessKey: givenSecret({
    environment: "BACKUP_SECRET_ACCESS_KEY",
    meaning: "CloudNativePG: the password for the object storage.",
  }),
  backupSchedule: text({
    environment: "BACKUP_SCHEDULE",
    default: "0 0 2 * * *",
    meaning: "CloudNativePG: when a backup of everything is made, in UTC: second, minute, hour, day, month, day of the week.",
    ...schedule,
  }),
  backupRetentionDays: number({
    environment: "BACKUP_RETENTION_DAYS",
    default: 30,
    meaning: "CloudNativePG: days back to any point of which the database can be restored.",
    ...range(1, 3650),
  }),
} as const;
