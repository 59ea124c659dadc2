import { settingNames, settings } from "../list.ts";
import type { Setting } from "../setting.ts";
import { defaultInWords } from "./describe.ts";

function member(name: string, setting: Setting): string {
  const type = { text: "string", number: "number", flag: "boolean", secret: "Input<string>", file: "string" }[setting.type];
  const allowed = setting.allowed === undefined ? "" : ` Allowed: ${setting.allowed}.`;
  return `  /** ${setting.meaning}${allowed} Default: ${defaultInWords(setting)}. */\n  readonly ${name}?: ${type};`;
}

/** infra/components/arguments.ts */
export function argumentsModule(): string {
  return [
    "// Generated from infra/settings/list.ts by `node infra/settings/generate.ts`; do not edit.",
    'import type { Input } from "@pulumi/pulumi";',
    "",
    "/** Arguments of the component; each may be left out. Those that decide which resources there are have to be known at once. */",
    "export interface RouteQLArgs {",
    ...settingNames.map((name) => member(name, settings[name])),
    "}",
    "",
  ].join("\n");
}
