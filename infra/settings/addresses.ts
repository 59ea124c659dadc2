/**
 * Public addresses of a deployment, and the origins (RFC 6454) of other sites in the setting `corsOrigins`.
 * @module
 */
import { isIPv6 } from "node:net";
import type { Check } from "./setting.ts";

/** The settings that determine the addresses. */
interface AddressSettings {
  readonly publicHost: string;
  readonly httpsPort: number;
  readonly consolePort: number;
  readonly corsOrigins?: string;
  readonly engineConsole: boolean;
}

function address(host: string, port: number): string {
  return `https://${hostInAddress(host)}${port === 443 ? "" : `:${port}`}`;
}

/** Base address of the API, without a slash at its end. */
export const serviceAddress = ({ publicHost, httpsPort }: AddressSettings): string => address(publicHost, httpsPort);

/** Address of the console, if it is enabled. */
export const consoleAddress = ({ publicHost, consolePort, engineConsole }: AddressSettings): string | undefined =>
  engineConsole ? `${address(publicHost, consolePort)}/` : undefined;

/** Origins (RFC 6454) whose pages may open WebSockets, separated by commas: the origins of this deployment and of the setting. */
export function allowedOrigins({ publicHost, httpsPort, consolePort, corsOrigins }: AddressSettings): string {
  const others = originsOf(corsOrigins);
  return others.includes("*")
    ? "*"
    : [...[httpsPort, consolePort].map((port) => address(publicHost, port)), ...others].join(",");
}

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
