import { hostInAddress } from "../settings/host-in-address.ts";
import type { PlainSettings } from "../settings/list.ts";

type AddressSettings = Pick<PlainSettings, "publicHost" | "httpsPort" | "consolePort" | "engineConsole">;

function address(host: string, port: number): string {
  return `https://${hostInAddress(host)}${port === 443 ? "" : `:${port}`}`;
}

/** Base address of the API, without a slash at its end. */
export const serviceAddress = ({ publicHost, httpsPort }: AddressSettings): string => address(publicHost, httpsPort);

/** Address of the console, if it is enabled. */
export const consoleAddress = ({ publicHost, consolePort, engineConsole }: AddressSettings): string | undefined =>
  engineConsole ? `${address(publicHost, consolePort)}/` : undefined;

/** Origins (RFC 6454) of the pages that this deployment itself serves, separated by commas: no other page may read its answers. */
export const ownOrigins = ({ publicHost, httpsPort, consolePort }: AddressSettings): string =>
  [httpsPort, consolePort].map((port) => address(publicHost, port)).join(",");
