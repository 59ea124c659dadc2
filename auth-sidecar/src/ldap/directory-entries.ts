import { isSameAttribute } from "@routeql/sidecar-settings/distinguished-name";
import type { Entry } from "ldapts";

/** Names of the attributes with the facts of an account. */
export interface EntryAttributes {
  readonly id: string;
  readonly email: string;
  readonly name: string;
  readonly organisation: string;
  readonly passwordTime: string | undefined;
}

export interface DirectoryEntry {
  readonly dn: string;
  /** Value of the id attribute: text, or hexadecimal for binary values. */
  readonly id: string;
  /** All e-mail addresses, in the order of the directory. */
  readonly emails: readonly [string, ...string[]];
  readonly name: string;
  readonly organisation: string | undefined;
  readonly passwordChanged: Date | undefined;
  readonly entry: Entry;
}

/** Longest values in characters; a name is cut. The product stores them, and sends name and organisation with tokens. */
const longest = { id: 256, email: 320, name: 256, organisation: 200 };

/** Ids that are bytes: of Active Directory and of eDirectory. */
const binaryIds = ["objectGUID", "objectSid", "mS-DS-ConsistencyGuid", "GUID"];

const isNamed = (name: string) => (other: string) => isSameAttribute(name, other);

export const isBinary = (attribute: string): boolean => binaryIds.some(isNamed(attribute));

/** Spellings of binary attributes: ldapts compares with the server's. */
export const binaryNames = (attribute: string): readonly string[] =>
  isBinary(attribute) ? [attribute, ...binaryIds.filter(isNamed(attribute)), attribute.toLowerCase()] : [];

/** The facts of an account. @returns the end of a sentence about an entry that cannot be an account here */
export function readEntry(entry: Entry, attributes: EntryAttributes): DirectoryEntry | string {
  const [id, ...moreIds] = values(entry, attributes.id);
  const emails = mailAddresses(values(entry, attributes.email)).filter((email) => email.length <= longest.email);
  const addresses = emails.filter((email) => email.includes("@"));
  const [first, ...others] = addresses.length > 0 ? addresses : emails;
  const no = (setting: string, attribute: string) =>
    `has no usable ${attribute}: correct ${setting}, or add the attribute`;
  if (id === undefined || id.length > longest.id) return no("LDAP_ID_ATTRIBUTE", attributes.id);
  if (moreIds.length > 0) return `has several values of ${attributes.id}: name a unique attribute in LDAP_ID_ATTRIBUTE`;
  if (first === undefined) return no("LDAP_EMAIL_ATTRIBUTE", attributes.email);
  const [organisation] = values(entry, attributes.organisation);
  if (organisation !== undefined && organisation.length > longest.organisation)
    return `has more than ${longest.organisation} characters in ${attributes.organisation} (LDAP_ORGANISATION_ATTRIBUTE)`;
  const name = values(entry, attributes.name)[0] ?? first;
  const { passwordTime } = attributes;
  const passwordChanged = passwordTime === undefined ? undefined : directoryTime(values(entry, passwordTime)[0]);
  return { dn: entry.dn, id, emails: [first, ...others], name: shortened(name), organisation, passwordChanged, entry };
}

/** Values such as those of proxyAddresses: `SMTP:` is the main address, `smtp:` another one, and other schemes are no addresses of mail. */
function mailAddresses(found: readonly string[]): readonly string[] {
  const parts = found.map((value) => /^([a-z0-9]+):(.*)$/i.exec(value));
  const typed = (kind: string): string[] => parts.flatMap((part) => (part?.[1] === kind ? [part[2]!] : []));
  const main = typed("SMTP");
  const others = found.flatMap((value, index) => {
    const [, kind, address = ""] = parts[index] ?? [];
    if (kind === undefined) return [value];
    return kind !== "SMTP" && kind.toLowerCase() === "smtp" ? [address] : [];
  });
  return [...main, ...others];
}

/** A time in the form of RFC 4517, 3.3.13, or of Active Directory: tenths of a microsecond since 1601. */
export function directoryTime(value = ""): Date | undefined {
  const [, year, month, day, hour, minute = "00", second = "00", zone = ""] =
    /^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)?(\d\d)?(?:[.,]\d+)?(Z|[+-]\d{4})$/.exec(value) ?? [];
  if (year !== undefined) {
    const offset = zone.replace(/(\d\d)(\d\d)/, "$1:$2");
    const time = new Date(`${year}-${month}-${day}T${hour}:${minute}:${second}${offset}`);
    return Number.isNaN(time.getTime()) ? undefined : time;
  }
  return /^\d{17,18}$/.test(value) ? new Date(Number(value) / 10_000 - 11_644_473_600_000) : undefined;
}

/** Attributes with the time at which an account ends: of Active Directory, FreeIPA, eDirectory, and OpenLDAP's overlay ppolicy. */
export const endAttributes: readonly string[] = [
  "accountExpires",
  "krbPrincipalExpiration",
  "loginExpirationTime",
  "pwdEndTime",
];

/** Whether an account has ended. Its directory rejects a password then, but sessions need none, and no filter can compare with the present. */
export const hasEnded = (entry: Entry, now: number): boolean =>
  endAttributes.some((name) => (directoryTime(values(entry, name)[0])?.getTime() ?? Infinity) <= now);

const shortened = (name: string): string =>
  name.length > longest.name
    ? Array.from(name.slice(0, longest.name * 2))
        .slice(0, longest.name)
        .join("")
    : name;

/** All values of an attribute, whose names have no case (RFC 4512, 2.5). */
export function values(entry: Entry, name: string): string[] {
  const key = Object.keys(entry).find(isNamed(name));
  const found = key === undefined ? [] : entry[key]!;
  return (Array.isArray(found) ? found : [found])
    .map((value) => (typeof value === "string" ? bytesOf(value, name) : value.toString("hex")))
    .filter((value) => value !== "" && !value.includes("\0"));
}

const bytesOf = (value: string, name: string): string => (isBinary(name) ? Buffer.from(value).toString("hex") : value);

/** Active Directory answers with `memberOf;range=0-1499` instead of more values. @returns the range that is left; undefined for an entry without ranges */
export function nextRange(
  entry: Entry,
  name: string,
): { readonly values: string[]; readonly next: string | undefined } | undefined {
  const prefix = `${name.toLowerCase()};range=`;
  const key = Object.keys(entry).find((one) => one.toLowerCase().startsWith(prefix));
  if (key === undefined) return undefined;
  const [, end] = /-(\d+)$/.exec(key) ?? [];
  return { values: values(entry, key), next: end === undefined ? undefined : `${name};range=${Number(end) + 1}-*` };
}
