import type { Entry } from "ldapts";

/** The relevant attributes of a directory account. */
export interface DirectoryEntry {
  readonly dn: string;
  /** Value of the id attribute: text, or hexadecimal for binary values. */
  readonly id: string;
  readonly email: string;
  readonly name: string;
  readonly organisation: string | undefined;
  /** DNs of the groups in the entry's own attributes. */
  readonly memberOf: readonly string[];
}

export interface EntryAttributes {
  readonly id: string;
  readonly email: string;
  readonly name: string;
  readonly organisation: string;
}

/** Active Directory's object ids are 16 bytes, not text. */
export const isBinary = (attribute: string): boolean => attribute.toLowerCase() === "objectguid";

/** Undefined for an entry without an id or an e-mail address, which cannot be identified. */
export function directoryEntry(entry: Entry, attributes: EntryAttributes): DirectoryEntry | undefined {
  const first = (name: string) => values(entry, name)[0];
  const id = first(attributes.id);
  const email = first(attributes.email);
  if (id === undefined || email === undefined) return undefined;
  return {
    dn: entry.dn,
    id,
    email,
    name: first(attributes.name) ?? email,
    organisation: first(attributes.organisation),
    memberOf: values(entry, "memberOf"),
  };
}

/** All values of an attribute, whose name has no case (RFC 4512, 2.5). */
function values(entry: Entry, name: string): string[] {
  const key = Object.keys(entry).find((candidate) => candidate.toLowerCase() === name.toLowerCase());
  const found = key === undefined ? [] : entry[key]!;
  const list = Array.isArray(found) ? found : [found];
  return list
    .map((value) => (typeof value === "string" ? value : value.toString("hex")))
    .filter((value) => value !== "" && !value.includes("\0"));
}
