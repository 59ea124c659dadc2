import { hostInAddress, originsOf } from "../settings/origins.ts";
import type { PlainSettings } from "../settings/list.ts";

type AddressSettings = Pick<
  PlainSettings,
  "publicHost" | "httpsPort" | "consolePort" | "corsOrigins" | "engineConsole"
>;

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
