/**
 * Characters that count for nothing in a comparison of names (RFC 4518, 2.2), or that a directory may compare in a way of its own:
 * controls, format characters, private and unassigned ones. With them one account would have names without number.
 */
const unusual = /[\p{C}\p{Default_Ignorable_Code_Point}\ufffc]/u;

/** Whether the directory is asked for the name. */
export function isOrdinary(name: string): boolean {
  return foldedName(name) !== "" && !unusual.test(name);
}

/**
 * The name as every directory compares it, or less exactly: without case, accents, width and superfluous blanks (RFC 4518; Active
 * Directory ignores accents as well). Two accounts whose names differ in nothing else share their count of failures.
 */
export function foldedName(name: string): string {
  const letters = name.normalize("NFKD").replace(/\p{M}/gu, "");
  // Upper case first: it makes "ss" of "\u00df", and one letter of the forms of sigma.
  return letters.toUpperCase().toLowerCase().normalize("NFKD").replace(/\p{M}/gu, "").replace(/\s+/gu, " ").trim();
}
