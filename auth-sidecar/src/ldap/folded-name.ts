/** Characters that comparisons of names ignore (RFC 4518, 2.2): with them one account would have unlimited names. */
const unusual = /[\p{C}\p{Default_Ignorable_Code_Point}\ufffc]/u;

/** The iota below a Greek letter: some directories compare it as an accent, others as the letter iota. */
const iotaBelow = "\u0345";

/** Whether the directory may be queried for the name. */
export function isOrdinary(name: string): boolean {
  return foldedName(name) !== "" && !unusual.test(name) && !name.normalize("NFKD").includes(iotaBelow);
}

/** Letters that Active Directory compares without their stroke or ligature, although Unicode does not decompose them. */
const strokes: Readonly<Record<string, string>> = {
  æ: "ae",
  ð: "d",
  ø: "o",
  þ: "th",
  đ: "d",
  ħ: "h",
  ı: "i",
  ł: "l",
  ŋ: "n",
  œ: "oe",
  ŧ: "t",
};
const stroked = new RegExp(`[${Object.keys(strokes).join("")}]`, "gu");
const katakana = /[\u30a1-\u30f6]/gu;
const toHiragana = (letter: string): string => String.fromCodePoint(letter.codePointAt(0)! - 0x60);

/** A form at least as coarse as any directory's comparison (RFC 4518, Active Directory): spellings of one account share their count of failures. */
export function foldedName(name: string): string {
  const letters = name.normalize("NFKD").replace(/\p{M}/gu, "");
  // Lower case first, because only "\u00df" becomes "ss" in upper case, not its capital form. Upper case converts all forms of sigma to one letter.
  return letters
    .toLowerCase()
    .toUpperCase()
    .toLowerCase()
    .normalize("NFKD")
    .replace(/\p{M}/gu, "")
    .replace(stroked, (letter) => strokes[letter]!)
    .replace(katakana, toHiragana)
    .replace(/\s+/gu, " ")
    .trim();
}
