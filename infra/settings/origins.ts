/**
 * Origins (RFC 6454) of other sites, for the setting `corsOrigins`.
 * @module
 */
import { isIPv6 } from "node:net";
import type { Check } from "./setting.ts";

/** A host within a URL: IPv6 addresses are in brackets (RFC 3986, 3.2.2). */
export const hostInAddress = (host: string): string => (isIPv6(host) ? `[${host}]` : host);

/** The entries of the setting, without spaces. */
export const originsOf = (text: string | undefined): readonly string[] =>
  (text ?? "")
    .split(",")
    .map((origin) => origin.trim())
    .filter((origin) => origin !== "");

/** An origin in the form of a browser's header: scheme, host and a non-default port; no path, no slash at the end. */
const isOrigin = (text: string): boolean =>
  URL.canParse(text) && /^https?:/.test(text) && new URL(text).origin === text;

/** `*`, or origins separated by commas. */
export const origins: { check: Check<"text">; allowed: string } = {
  check: (value) => {
    const wrong = originsOf(value).find((origin) => origin !== "*" && !isOrigin(origin));
    return wrong === undefined
      ? undefined
      : `must hold origins such as https://app.example.net, without a path or a slash at the end, not ${JSON.stringify(wrong)}`;
  },
  allowed: "origins separated by commas, or *",
};
