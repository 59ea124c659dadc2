import { settingNames, settings } from "../list.ts";
import type { Setting } from "../setting.ts";
import { defaultInWords } from "./describe.ts";

function member(name: string, setting: Setting): string {
  const type = { text: "string", number: "number", flag: "boolean", secret: "Input<string>", file: "string" }[setting.type];
  const allowed = setting.allowed === undefined ? "" : ` Allowed: ${setting.allowed}.`;
  const lines = [setting.meaning, `Default: ${defaultInWords(setting)}.${allowed}`].map((line) => `   * ${line}`);
  return ["  /**", ...lines, "   */", `  readonly ${name}?: ${type};`].join("\n");
}

/** infra/components/arguments.ts */
export function argumentsModule(): string {
  return [
    "// Generated from infra/settings/list.ts by `npm run documents`; do not edit.",
    'import type { Input } from "@pulumi/pulumi";',
    "",
    "/** Arguments of the component; each may be left out. */",
    "export interface RouteQLArgs {",
    ...settingNames.map((name) => member(name, settings[name])),
    "}",
    "",
  ].join("\n");
}
