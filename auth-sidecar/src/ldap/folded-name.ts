/**
 * Characters that a comparison of names ignores (RFC 4518, 2.2), or that directories may compare differently: controls, format
 * characters, private and unassigned ones. With them one account would have unlimited names.
 */
const unusual = /[\p{C}\p{Default_Ignorable_Code_Point}\ufffc]/u;

/** The iota below a Greek letter: some directories compare it as an accent, others as the letter iota. */
const iotaBelow = "\u0345";

/** Whether the directory may be queried for the name. */
export function isOrdinary(name: string): boolean {
  return foldedName(name) !== "" && !unusual.test(name) && !name.normalize("NFKD").includes(iotaBelow);
}

/**
 * The name in a form that is at least as coarse as every directory's comparison: without case, accents, width and superfluous blanks
 * (RFC 4518; Active Directory also ignores accents). Accounts whose names differ only in these share their count of failures.
 */
export function foldedName(name: string): string {
  const letters = name.normalize("NFKD").replace(/\p{M}/gu, "");
  // Lower case first, because only "\u00df" becomes "ss" in upper case, not its capital form. Upper case converts all forms of sigma to one letter.
  return letters
    .toLowerCase()
    .toUpperCase()
    .toLowerCase()
    .normalize("NFKD")
    .replace(/\p{M}/gu, "")
    .replace(/\s+/gu, " ")
    .trim();
}
