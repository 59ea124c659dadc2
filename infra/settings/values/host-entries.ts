/** Own names of other systems: the setting `extraHosts`. */
import { isIP } from "node:net";
import { type Checked, host } from "./checks.ts";

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
const reserved =
  /^(localhost|gateway|front|engine|auth-sidecar|sessions|database|archive|prometheus|alertmanager|grafana)$/;

function problemOf({ host: name, ip }: HostEntry): string | undefined {
  if (name === "" || isIP(name) !== 0 || host.check(name) !== undefined)
    return `must hold host names, not ${JSON.stringify(name)}`;
  if (isIP(ip) === 0) return `must hold an IP address for ${name}, not ${JSON.stringify(ip)}`;
  return reserved.test(name) ? `must not hold ${name}, which is a name inside the stack` : undefined;
}

export const hostEntries: Checked = {
  check: (value) =>
    hostEntriesOf(value)
      .map(problemOf)
      .find((problem) => problem !== undefined),
  allowed: "<name>=<IP address>, separated by commas",
};
