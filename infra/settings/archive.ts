import type { Settings } from "./list.ts";

type ArchivedBy = Pick<Settings, "archive" | "database" | "images" | "target">;

/** Whether the stack has an archive. Other databases have their own; the official image has no pgBackRest. */
export const archives = ({ archive, target, database, images }: ArchivedBy): boolean =>
  archive && target === "docker" && database === "single" && images === "built";

/** Whether a database that the stack runs on Kubernetes has no archive: the single one never has. */
export const isWithoutClusterArchive = ({
  archive,
  target,
  database,
  backupDestination,
}: ArchivedBy & Pick<Settings, "backupDestination">): boolean =>
  archive &&
  target === "kubernetes" &&
  (database === "single" || (database === "cloudnative-pg" && backupDestination === undefined));

/** Whether the settings ask for an archive that the official image cannot keep. */
export const isWithoutArchive = (settings: ArchivedBy): boolean =>
  settings.images === "official" && archives({ ...settings, images: "built" });
