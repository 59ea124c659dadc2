/**
 * The database as a CloudNativePG cluster, and its backups: a section of the list in list.ts. docs/operate/kubernetes.md has examples.
 * @module
 */
import { pins } from "@routeql/pins/pins";
import { image, range } from "./checks.ts";
import { bucket, objectName, schedule, webAddress } from "./kubernetes-checks.ts";
import { flag, givenSecret, number, text } from "./setting.ts";

export const cloudNativePgSettings = {
  databaseInstances: number({
    environment: "DATABASE_INSTANCES",
    default: 3,
    meaning: "CloudNativePG: instances of the database: one primary, the others replicas.",
    ...range(1, 9),
  }),
  databaseReadFromCopies: flag({
    environment: "DATABASE_READ_FROM_COPIES",
    default: true,
    meaning:
      "CloudNativePG: let the engine read from replicas. If false, it reads from the primary, as some Hasura versions require.",
  }),
  databaseClusterImage: text({
    environment: "DATABASE_CLUSTER_IMAGE",
    default: pins.postgresCluster.image,
    meaning: "CloudNativePG: the image of Postgres 17.",
    ...image,
  }),
  databaseOperatorNamespace: text({
    environment: "DATABASE_OPERATOR_NAMESPACE",
    default: "cnpg-system",
    meaning: "CloudNativePG: the operator's namespace, from which it reaches the database.",
    ...objectName,
  }),
  backupDestination: text({
    environment: "BACKUP_DESTINATION",
    meaning: "CloudNativePG: object storage folder for backups and archived changes. Without it there are no backups.",
    ...bucket,
  }),
  backupEndpoint: text({
    environment: "BACKUP_ENDPOINT",
    meaning: "CloudNativePG: endpoint of an object storage other than Amazon's.",
    ...webAddress,
  }),
  backupAccessKeyId: givenSecret({
    environment: "BACKUP_ACCESS_KEY_ID",
    meaning: "CloudNativePG: access key id for the object storage. Without it the nodes' role authenticates.",
  }),
  backupSecretAccessKey: givenSecret({
    environment: "BACKUP_SECRET_ACCESS_KEY",
    meaning: "CloudNativePG: secret access key for the object storage.",
  }),
  backupSchedule: text({
    environment: "BACKUP_SCHEDULE",
    default: "0 0 2 * * *",
    meaning: "CloudNativePG: schedule of full backups in UTC: second, minute, hour, day, month, day of the week.",
    ...schedule,
  }),
  backupRetentionDays: number({
    environment: "BACKUP_RETENTION_DAYS",
    default: 30,
    meaning: "CloudNativePG: days for which backups are kept, so that any moment in them can be restored.",
    ...range(1, 3650),
  }),
} as const;
