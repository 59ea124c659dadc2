import { settingsReference } from "./settings.ts";

/** The table of all settings in auth-sidecar/README.md. */
export function renderSettingsTable(): string {
  const rows = settingsReference().map(
    ({ name, purpose, byDefault }) =>
      `| \`${name}\` | ${byDefault === undefined ? "" : `\`${byDefault}\``} | ${purpose} |`,
  );
  return ["| setting | default | what it is for |", "|---|---|---|", ...rows].join("\n");
}
