import { settings } from "../list.ts";
import type { GivenSettings, SettingName } from "../list.ts";
import type { Setting } from "../values/setting.ts";

export type Parsed = { readonly value: string | number | boolean } | { readonly problem: string };

function typed(setting: Setting, text: string): Parsed {
  switch (setting.type) {
    case "flag":
      return text === "true" || text === "false"
        ? { value: text === "true" }
        : { problem: `must be true or false, not ${JSON.stringify(text)}` };
    case "number":
      return /^-?\d+$/.test(text)
        ? { value: Number(text) }
        : { problem: `must be a whole number, not ${JSON.stringify(text)}` };
    default:
      return { value: text };
  }
}

export function checkValue(name: SettingName, value: GivenSettings[SettingName]): string | undefined {
  const { check } = settings[name] as Setting;
  return check?.(value as never);
}

/** Parses the text of one setting from the stack's configuration or the environment file. */
export function parseValue(name: SettingName, text: string): Parsed {
  const parsed = typed(settings[name], text);
  if ("problem" in parsed) return parsed;
  const problem = checkValue(name, parsed.value);
  return problem === undefined ? parsed : { problem };
}
