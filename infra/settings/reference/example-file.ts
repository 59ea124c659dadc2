import { settingNames, settings } from "../list.ts";
import type { Setting } from "../setting.ts";

function lines(setting: Setting): string[] {
  const { environment, meaning, default: byDefault, generated } = setting;
  return [`# ${meaning}${generated === true ? " Generated when empty." : ""}`, `#${environment}=${byDefault ?? ""}`, ""];
}

/** .env.example */
export function exampleFile(): string {
  return [
    "# Copy to .env and take the # away before what you set.",
    "# Generated from infra/settings/list.ts by `npm run documents`; do not edit.",
    "",
    ...settingNames.flatMap((name) => lines(settings[name])),
  ].join("\n");
}
