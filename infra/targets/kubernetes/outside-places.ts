import { isIP } from "node:net";
import type { OutsideName } from "../../services/description.ts";
import type { PlainSettings } from "../../settings/list.ts";
import type { OutsidePlace } from "./network-rules.ts";

const standardPorts: Readonly<Record<string, number>> = { "ldap:": 389, "ldaps:": 636 };

function addressOf(host: string): string | undefined {
  const plain = host.replace(/^\[|\]$/g, "");
  const version = isIP(plain);
  return version === 0 ? undefined : `${plain}/${version === 4 ? 32 : 128}`;
}

/** Ports, and addresses if every URL has one: a policy cannot hold a name. */
export function placeOf(urls: readonly string[]): OutsidePlace {
  const parsed = urls.map((url) => new URL(url));
  const ports = parsed.map(({ port, protocol }) => (port === "" ? (standardPorts[protocol] ?? 0) : Number(port)));
  const addresses = parsed.map(({ hostname }) => addressOf(hostname)).filter((address) => address !== undefined);
  return { ports: [...new Set(ports)], ...(addresses.length === parsed.length ? { addresses: [...new Set(addresses)] } : {}) };
}

/** Where what lies outside the stack is reached, as far as it is configured. */
export function outsidePlaces({ ldapUrl }: Pick<PlainSettings, "ldapUrl">): Partial<Record<OutsideName, OutsidePlace>> {
  return ldapUrl === undefined ? {} : { directory: placeOf(ldapUrl.split(/[\s,]+/).filter((url) => url !== "")) };
}
