/** Addresses of LDAP servers: the setting LDAP_URL. */
import { domainToASCII } from "node:url";

export const allowedUrls = "addresses that start with ldap:// or ldaps://";

/** The addresses, which spaces or commas separate. */
export const directoryUrlsOf = (text: string): readonly string[] => text.split(/[\s,]+/).filter((url) => url !== "");

/** The problem of the first wrong address, as the end of a sentence; it quotes no user and no password. */
export function directoryUrlsProblem(urls: readonly string[]): string | undefined {
  const found = urls.length === 0 ? "" : urls.map(reasonAgainst).find((reason) => reason !== undefined);
  return found === undefined ? undefined : `must be ${allowedUrls}${found === "" ? "" : `, ${found}`}`;
}

function reasonAgainst(url: string): string | undefined {
  const [, host, rest = ""] = /^ldaps?:\/\/([^/?#;]*)(.*)$/.exec(url) ?? [];
  if (host === undefined) return /^ldaps?:/i.test(url) ? "in lower case, with two slashes" : "";
  if (host.includes("@")) return "without a user: LDAP_BIND_DN and LDAP_BIND_PASSWORD have the search account";
  if (rest.startsWith(";")) return "separated by spaces or commas";
  if (rest !== "" && rest !== "/")
    return "without a name or filter behind the host: write them into LDAP_USER_BASE and LDAP_USER_FILTER";
  if (host.includes("%")) return "with a host that has no % and no zone";
  const name = host.replace(/:\d*$/, "");
  // The address would stay as it is, and no name server has such a name.
  if (/[^\0-\x7f]/.test(name)) return `with the name as name servers have it: ${domainToASCII(name) || "in ASCII"}`;
  const parsed = URL.parse(url);
  if (parsed !== null && parsed.hostname !== "" && parsed.port !== "0") return undefined;
  return host.split(":").length > 2 && !host.startsWith("[")
    ? "with an IPv6 address in brackets"
    : "with a host, and a port from 1 to 65535";
}
