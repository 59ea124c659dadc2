/** Why a text is no host that every client and service reads alike. */
import { isIP, isIPv6 } from "node:net";
import { domainToASCII } from "node:url";
import { addressOf } from "./ipv4-range.ts";

/** Why an IP address has another meaning elsewhere; undefined for others. */
export function addressReason(address: string): string | undefined {
  if (!isIPv6(address)) return undefined;
  if (address.includes("%"))
    return "an address with a zone is known to this machine only. Write a host name or another address";
  if (/^fe[89ab]/i.test(address))
    return "a link-local address needs the name of a network interface, which other systems do not know. Write another address";
  const [, high, low] = /^\[::ffff:([0-9a-f]+):([0-9a-f]+)\]$/.exec(new URL(`http://[${address}]`).hostname) ?? [];
  if (high === undefined || low === undefined) return undefined;
  return `write the IPv4 address ${addressOf(parseInt(high, 16) * 2 ** 16 + parseInt(low, 16))}`;
}

const label = /^(?!-)[a-z0-9-]{1,63}(?<!-)$/i;

/** Empty for a text that is far from a host; undefined for a host. */
export function hostReason(text: string): string | undefined {
  if (isIP(text) !== 0) return addressReason(text);
  if (text.includes("://")) return "write it without a scheme";
  if (text.length > 1 && text.endsWith(".")) return "write it without the dot at its end";
  if (/^\[.*\]$/.test(text)) return "write an address without brackets";
  if (/^[^:/]+:\d+$/.test(text)) return "write it without a port, which has its own setting";
  if (/[^\0-\x7f]/.test(text)) {
    const name = domainToASCII(text);
    return name === "" ? "" : `write ${name}`;
  }
  const labels = text.split(".");
  if (text.length > 253) return "it is longer than 253 characters";
  if (labels.some((each) => each.includes("_"))) return "host names have no underscore (RFC 1123)";
  if (!labels.every((each) => label.test(each))) return "";
  // Clients read such a name as an IPv4 address, of another form or none (URL Standard, 3.5).
  const read = URL.parse(`http://${text}`)?.hostname;
  if (read === text.toLowerCase()) return undefined;
  if (read !== undefined) return `clients read it as ${read}`;
  return /^\d+$/.test(labels.at(-1)!) ? "clients read a name that ends in a number as an address" : "";
}
