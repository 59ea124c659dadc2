/**
 * Attributes whose values compare without case, by their names and object identifiers (RFC 4519, RFC 4524, RFC 2798). The values of any
 * other attribute compare as they are: a comparison that is too fine grants nothing.
 */
const caseless: readonly (readonly string[])[] = [
  ["cn", "commonname", "2.5.4.3"],
  ["sn", "surname", "2.5.4.4"],
  ["serialnumber", "2.5.4.5"],
  ["c", "countryname", "2.5.4.6"],
  ["l", "localityname", "2.5.4.7"],
  ["st", "stateorprovincename", "2.5.4.8"],
  ["street", "streetaddress", "2.5.4.9"],
  ["o", "organizationname", "2.5.4.10"],
  ["ou", "organizationalunitname", "2.5.4.11"],
  ["title", "2.5.4.12"],
  ["description", "2.5.4.13"],
  ["businesscategory", "2.5.4.15"],
  ["postalcode", "2.5.4.17"],
  ["name", "2.5.4.41"],
  ["givenname", "gn", "2.5.4.42"],
  ["initials", "2.5.4.43"],
  ["generationqualifier", "2.5.4.44"],
  ["dnqualifier", "2.5.4.46"],
  ["uid", "userid", "0.9.2342.19200300.100.1.1"],
  ["mail", "rfc822mailbox", "0.9.2342.19200300.100.1.3"],
  ["dc", "domaincomponent", "0.9.2342.19200300.100.1.25"],
  ["email", "emailaddress", "pkcs9email", "1.2.840.113549.1.9.1"],
  ["employeenumber", "2.16.840.1.113730.3.1.3"],
  ["employeetype", "2.16.840.1.113730.3.1.4"],
  ["displayname", "2.16.840.1.113730.3.1.241"],
  ["samaccountname", "1.2.840.113556.1.4.221"],
];

const types = new Map(caseless.flatMap(([type = "", ...others]) => [type, ...others].map((name) => [name, type])));
const caselessTypes = new Set(types.values());

/** The one name of an attribute for all its spellings. */
export function typeOf(name: string): string {
  const plain = name.toLowerCase();
  return types.get(plain) ?? plain;
}

/** A value prepared for comparison (RFC 4518), as OpenLDAP prepares it: one form of each character, one space between words. */
export function comparedValue(type: string, value: string): string {
  return withSingleSpaces((caselessTypes.has(type) ? lowerCase(value) : value).normalize("NFKC"));
}

/** The form of a common name that is equal for all its spellings. */
export const comparedName = (value: string): string => comparedValue("cn", value);

const withSingleSpaces = (text: string): string => text.replace(/ +/g, " ").replace(/^ | $/g, "");

/** Letter by letter, because a whole word has forms that depend on the place of a letter. */
function lowerCase(text: string): string {
  return text.replace(/[\p{Lu}\p{Lt}]/gu, (letter) => Array.from(letter.toLowerCase())[0]!);
}
