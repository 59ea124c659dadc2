import { isIP } from "node:net";
import type { OutsideName } from "../../services/description.ts";
import type { OutsidePlace } from "./network-rules.ts";

const standardPorts: Readonly<Record<string, number>> = {
  "ldap:": 389,
  "ldaps:": 636,
  "postgres:": 5432,
  "postgresql:": 5432,
  "redis:": 6379,
  "rediss:": 6379,
  "http:": 80,
  "https:": 443,
};

function addressOf(host: string): string | undefined {
  const plain = host.replace(/^\[|\]$/g, "");
  const version = isIP(plain);
  return version === 0 ? undefined : `${plain}/${version === 4 ? 32 : 128}`;
}

/** The namespace of a Service's name, `<service>.<namespace>.svc[.<domain>]`. */
function namespaceOf(host: string): string | undefined {
  const [, namespace, kind] = host.split(".");
  return kind === "svc" ? namespace : undefined;
}

/**
 * Ports, and the namespace if the URL names a Service of the cluster, or addresses if every URL has one: a policy cannot contain a
 * name.
 */
export function placeOf(urls: readonly string[]): OutsidePlace {
  const parsed = urls.map((url) => new URL(url));
  const ports = parsed.map(({ port, protocol }) => (port === "" ? (standardPorts[protocol] ?? 0) : Number(port)));
  const [first, ...others] = new Set(parsed.map(({ hostname }) => namespaceOf(hostname)));
  if (first !== undefined && others.length === 0) return { ports: [...new Set(ports)], namespace: first };
  const addresses = parsed.map(({ hostname }) => addressOf(hostname)).filter((address) => address !== undefined);
  return {
    ports: [...new Set(ports)],
    ...(addresses.length === parsed.length ? { addresses: [...new Set(addresses)] } : {}),
  };
}

export interface OutsideUrls {
  /** Several, separated by spaces or commas. */
  readonly directory?: string | undefined;
  readonly database?: string | undefined;
  readonly sessions?: string | undefined;
  readonly collector?: string | undefined;
}

/** Configured external services. Only ports and addresses, nothing secret. */
export function outsidePlaces(urls: OutsideUrls): Partial<Record<OutsideName, OutsidePlace>> {
  const known = Object.entries(urls).filter((entry): entry is [OutsideName, string] => entry[1] !== undefined);
  return Object.fromEntries(
    known.map(([name, text]) => [name, placeOf(text.split(/[\s,]+/).filter((url) => url !== ""))]),
  );
}
