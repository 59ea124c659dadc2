/** Public addresses of a deployment, and the origins (RFC 6454) of other sites in the setting `corsOrigins`. */
import { isIPv6 } from "node:net";
import type { Input } from "@pulumi/pulumi";
import { originProblem } from "@routeql/nginx/origin";
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

/** `*`, or origins separated by commas. */
export const origins: { check: Check<"text">; allowed: string } = {
  check: (value) => {
    const wrong = originsOf(value).find((origin) => origin !== "*" && originProblem(origin) !== undefined);
    if (wrong === undefined) return undefined;
    const reason = originProblem(wrong);
    return `must hold origins such as https://app.example.net, without a path or a slash at the end, not ${JSON.stringify(wrong)}${reason === "" ? "" : `: ${reason}`}`;
  },
  allowed: "origins separated by commas, or *",
};
