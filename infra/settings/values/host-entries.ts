/** Own names of other systems: the setting `extraHosts`. */
import { isIP } from "node:net";
import type { Checked } from "./checks.ts";
import { addressReason, hostReason } from "./host-reasons.ts";
import { runningServices } from "./service-names.ts";

export interface HostEntry {
  readonly host: string;
  /** Of IPv4 or IPv6, without brackets. */
  readonly ip: string;
}

/** The entries of a valid setting, in its order; a name may have several addresses. */
export const hostEntriesOf = (text: string): readonly HostEntry[] =>
  text
    .split(",")
    .map((entry) => entry.trim())
    .filter((entry) => entry !== "")
    .map((entry) => {
      const [name = "", ...address] = entry.split("=");
      return { host: name.trim().toLowerCase(), ip: address.join("=").trim() };
    });

/** A service of the stack must keep its own address, and `localhost` is the container itself. */
const reserved: ReadonlySet<string> = new Set(["localhost", ...runningServices]);

function problemOf({ host: name, ip }: HostEntry): string | undefined {
  if (ip === "") return `must hold entries such as ldap.example.net=192.0.2.7, not ${JSON.stringify(name)}`;
  const reason = name === "" || isIP(name) !== 0 ? "" : hostReason(name);
  if (reason !== undefined)
    return `must hold host names, not ${JSON.stringify(name)}${reason === "" ? "" : `: ${reason}`}`;
  if (isIP(ip) === 0) return `must hold an IP address for ${name}, not ${JSON.stringify(ip)}`;
  const unusable = addressReason(ip);
  if (unusable !== undefined) return `must not hold ${ip} for ${name}: ${unusable}`;
  if (/^127\.|^::1?$|^0\.0\.0\.0$/.test(ip))
    return `must not hold ${ip} for ${name}: in a container it is the container itself. Write an address that containers reach`;
  return reserved.has(name) ? `must not hold ${name}, which is a name inside the stack` : undefined;
}

export const hostEntries: Checked = {
  check: (value) =>
    hostEntriesOf(value)
      .map(problemOf)
      .find((problem) => problem !== undefined),
  allowed: "<name>=<IP address>, separated by commas",
};
