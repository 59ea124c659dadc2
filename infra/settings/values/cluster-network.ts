/** Addresses of a cluster for its policies: name servers, ports of the API server, clients of the console. */
import { isIP } from "node:net";
import type { Checked } from "./checks.ts";
import { addressReason } from "./host-reasons.ts";

/** Pods by namespace and label, or one address. */
export type NameServer = { readonly port: number } & (
  | { readonly namespace: string; readonly labels: Readonly<Record<string, string>> }
  | { readonly address: string }
);

/** The API server rejects zones, and IPv4 addresses in IPv6. */
const isAddress = (text: string): boolean => isIP(text) !== 0 && addressReason(text) === undefined;

const pods = /^([a-z0-9][-a-z0-9]{0,62})\/((?:[a-z0-9][-a-z0-9.]*\/)?[\w][-\w.]*)=([-\w.]*)(?::(\d{1,5}))?$/;
const withPort = /^(?:\[([^\]]+)\]|([\d.]+)):(\d{1,5})$/;

function parse(entry: string): NameServer | undefined {
  const [isPods, namespace = "", label = "", value = "", podPort = "53"] = pods.exec(entry) ?? [];
  if (isPods !== undefined) return { namespace, labels: { [label]: value }, port: Number(podPort) };
  const [, six, four, port = "53"] = withPort.exec(entry) ?? [undefined, undefined, entry];
  const address = six ?? four ?? "";
  return isAddress(address) ? { address, port: Number(port) } : undefined;
}

const isPort = (port: number): boolean => port >= 1 && port <= 65_535;
const entriesOf = (text: string): readonly string[] => text.split(",").map((entry) => entry.trim());

/** Those of a valid setting. */
export const nameServersOf = (text: string): readonly NameServer[] =>
  entriesOf(text).flatMap((entry) => parse(entry) ?? []);

export const nameServers: Checked = {
  check(text) {
    const wrong = entriesOf(text).find((entry) => !isPort(parse(entry)?.port ?? 0));
    return wrong === undefined
      ? undefined
      : `must hold name servers such as openshift-dns/dns.operator.openshift.io/daemonset-dns=default:5353 or 169.254.20.10, not ${JSON.stringify(wrong)}`;
  },
  allowed: "<namespace>/<label>=<value>[:<port>] or <IP address>, separated by commas",
};

/** Port numbers of a valid setting. */
export const portsOf = (text: string): readonly number[] => entriesOf(text).map(Number);

export const ports: Checked = {
  check: (text) =>
    entriesOf(text).every((entry) => /^\d{1,5}$/.test(entry) && isPort(Number(entry)))
      ? undefined
      : `must hold ports from 1 to 65535, separated by commas, not ${JSON.stringify(text)}`,
  allowed: "ports separated by commas",
};

/** Whether the setting closes a port. */
export const closed = "none";

/** Ranges of a valid setting in CIDR form; none of them for a closed port. */
export const rangesOf = (text: string): readonly string[] => (text === closed ? [] : entriesOf(text));

function isRange(text: string): boolean {
  const [, address = "", length = ""] = /^([^/]+)\/(\d{1,3})$/.exec(text) ?? [];
  const version = isIP(address);
  return isAddress(address) && Number(length) <= (version === 4 ? 32 : 128);
}

export const ranges: Checked = {
  check(text) {
    const wrong = rangesOf(text).find((entry) => !isRange(entry));
    return wrong === undefined
      ? undefined
      : `must be ${closed}, or hold ranges such as 192.0.2.0/24, not ${JSON.stringify(wrong)}`;
  },
  allowed: `ranges such as 192.0.2.0/24, separated by commas, or ${closed}`,
};
