/** Public addresses of a deployment, and the origins (RFC 6454) of other sites in the setting `corsOrigins`. */
import { isIPv6 } from "node:net";
import type { Input } from "@pulumi/pulumi";
import { derive } from "../../inputs.ts";
import type { Check } from "./setting.ts";

interface AddressSettings {
  readonly publicHost: Input<string>;
  readonly httpsPort: Input<number>;
  readonly consolePort: Input<number>;
  readonly corsOrigins?: Input<string> | undefined;
  readonly engineConsole: boolean;
}

function address(host: string, port: number): string {
  return `https://${hostInAddress(host)}${port === 443 ? "" : `:${port}`}`;
}

/** Base address of the API, without a slash at its end. */
export const serviceAddress = ({ publicHost: host, httpsPort: port }: AddressSettings): Input<string> =>
  derive({ host, port }, (known) => address(known.host, known.port));

export const consoleAddress = ({
  publicHost: host,
  consolePort: port,
  engineConsole,
}: AddressSettings): Input<string> | undefined =>
  engineConsole ? derive({ host, port }, (known) => `${address(known.host, known.port)}/`) : undefined;

/** A host within a URL: IPv6 addresses are in brackets (RFC 3986, 3.2.2). */
export const hostInAddress = (host: string): string => (isIPv6(host) ? `[${host}]` : host);

/** The entries of the setting, without spaces. */
export const originsOf = (text: string | undefined): readonly string[] =>
  (text ?? "")
    .split(",")
    .map((origin) => origin.trim())
    .filter((origin) => origin !== "");

/** Why a text is not what a browser's header has: scheme, host and a non-default port, in lower case. Empty for a text that is far from it. */
function originReason(text: string): string | undefined {
  if (text.includes("*")) return "browsers send no patterns. Name each origin, or allow all by * alone";
  if (/[\s;]/.test(text)) return "separate origins by commas";
  const url = URL.parse(text);
  if (url === null || !/^https?:\/\//i.test(text)) return "";
  if (!/^(?:[a-z0-9_-]+(?:\.[a-z0-9_-]+)*|\[[0-9a-f:]+\])$/.test(url.hostname)) return "its host is no name or address";
  return url.origin === text ? undefined : `write ${url.origin}`;
}

/** `*`, or origins separated by commas. */
export const origins: { check: Check<"text">; allowed: string } = {
  check: (value) => {
    const wrong = originsOf(value).find((origin) => origin !== "*" && originReason(origin) !== undefined);
    if (wrong === undefined) return undefined;
    const reason = originReason(wrong);
    return `must hold origins such as https://app.example.net, without a path or a slash at the end, not ${JSON.stringify(wrong)}${reason === "" ? "" : `: ${reason}`}`;
  },
  allowed: "origins separated by commas, or *",
};
