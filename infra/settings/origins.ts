/**
 * Origins (RFC 6454) of other sites, as the setting `corsOrigins` lists them.
 * @module
 */
import type { Check } from "./setting.ts";

/** The entries of the setting, without spaces. */
export const originsOf = (text: string | undefined): readonly string[] =>
  (text ?? "")
    .split(",")
    .map((origin) => origin.trim())
    .filter((origin) => origin !== "");

/** As a browser writes the header: scheme, host and a port that is not the scheme's own; no path, no slash at the end. */
const isOrigin = (text: string): boolean => URL.canParse(text) && /^https?:/.test(text) && new URL(text).origin === text;

/** `*`, or origins separated by commas. */
export const origins: { check: Check<"text">; allowed: string } = {
  check: (value) => {
    const wrong = originsOf(value).find((origin) => origin !== "*" && !isOrigin(origin));
    return wrong === undefined ? undefined : `must hold origins such as https://app.example.net, without a path or a slash at the end, not ${JSON.stringify(wrong)}`;
  },
  allowed: "origins separated by commas, or *",
};
