import { createHash } from "node:crypto";
import { settingNames, settings } from "../settings/list.ts";
import type { GivenSettings } from "../settings/list.ts";

/** Passes the check for strong secrets and reveals nothing about the real one. */
export function placeholder(name: string): string {
  return createHash("sha256").update(`placeholder of ${name}`).digest("hex");
}

/** Keeps the address of a URL and replaces its secrets; an address of the web is secret as a whole. */
function withoutPassword(name: string, value: string): string {
  if (!URL.canParse(value)) return placeholder(name);
  const url = new URL(value);
  if (/^https?:$/.test(url.protocol)) return `https://example.invalid/${placeholder(name)}`;
  if (url.password === "") return placeholder(name);
  url.password = placeholder(name);
  return url.href;
}

/** The settings with a placeholder for each secret, so that derived values contain none. */
export function withoutSecrets(given: GivenSettings): GivenSettings {
  const changed = settingNames
    .filter((name) => settings[name].type === "secret" && given[name] !== undefined)
    .map((name) => [name, withoutPassword(name, String(given[name]))]);
  return { ...given, ...Object.fromEntries(changed) } as GivenSettings;
}
