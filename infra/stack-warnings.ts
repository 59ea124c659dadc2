import { hasNewMigrations } from "./release.ts";
import { archives, isWithoutArchive, isWithoutClusterArchive } from "./settings/archive.ts";
import { type PlainSettings, type SettingName, settingNames, settings } from "./settings/list.ts";
import type { Setting } from "./settings/values/setting.ts";

/** Settings of Docker that a stack on Kubernetes has and does not use. `archive` also ends a warning there. */
function unusedNames(plain: PlainSettings, stack: string): readonly string[] {
  if (plain.target !== "kubernetes") return [];
  return settingNames.flatMap((name) => {
    const { meaning, environment, type, defaultIn, default: usual }: Setting = settings[name];
    if (name === "archive" || type === "secret" || !meaning.startsWith("Docker: ")) return [];
    return plain[name as keyof PlainSettings] === (defaultIn?.[stack] ?? usual) ? [] : [environment];
  });
}

/** Warnings about valid settings. @param clear names of the settings that the stack's configuration file has as plain text */
export function stackWarnings(plain: PlainSettings, stack: string, clear: readonly string[]): readonly string[] {
  const secrets = clear.filter(
    (name) => Object.hasOwn(settings, name) && settings[name as SettingName].type === "secret",
  );
  const file = `Pulumi.${stack}.yaml`;
  const unused = unusedNames(plain, stack);
  return [
    ...(unused.length === 0 ? [] : [`On Kubernetes these settings have no effect: ${unused.join(", ")}. Remove them.`]),
    ...(secrets.length === 0
      ? []
      : [
          `${file} has secrets in plain text: ${secrets.join(", ")}. Replace them, because every copy of the file has them: ` +
            `delete the lines, then write new values into .env.${stack}, or use pulumi config set --secret with pulumi up.`,
        ]),
    ...(isWithoutArchive(plain)
      ? [
          "The official image of Postgres has no pgBackRest, so the database has no archive: a lost disk costs all changes since the last npm run backup. " +
            "Schedule backups (docs/operate/backup.md), or create the stack with IMAGES=built.",
        ]
      : []),
    ...(isWithoutClusterArchive(plain)
      ? [
          "The database has no archive: a lost volume costs all changes since the last npm run backup. Schedule backups " +
            "(docs/operate/kubernetes.md#databases), or use database: cloudnative-pg with backupDestination. ARCHIVE=false ends this warning.",
        ]
      : []),
  ];
}

/**
 * Warning of plain Pulumi, which takes no backup: a program must not act before its preview is accepted. An archive has every moment.
 * @param before outputs
 * @param moves whether the update gives the archive another place or key
 */
export async function unsavedDataWarning(
  plain: PlainSettings,
  stack: string,
  before: Readonly<Record<string, unknown>>,
  moves: () => Promise<boolean>,
): Promise<readonly string[]> {
  if (
    !plain.backupBeforeUpdate ||
    before["services"] === undefined ||
    !hasNewMigrations(before["release"], plain.migrations)
  )
    return [];
  const services = before["services"] as readonly { readonly service: string }[];
  if (services.some(({ service }) => service === "archive") && archives(plain) && !(await moves())) {
    const moment = new Date().toISOString();
    return [
      `This update applies new migrations. To undo them: npm run restore -- --stack ${stack} --to-time ${moment}`,
    ];
  }
  return [
    `This update applies new migrations, and pulumi up takes no backup. Cancel it and run \`npm run backup -- --stack ${stack} --to FILE\` first, ` +
      "or use npm run up, which takes one. BACKUP_BEFORE_UPDATE=false ends this warning.",
  ];
}
