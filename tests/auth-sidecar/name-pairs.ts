/** Pairs of distinguished names for a comparison with a directory's verdict: two spellings of one name, or of two similar ones. */
import fc from "fast-check";

/** Spellings of each attribute's type; the last one compares with case. */
const types = [
  ["cn", "CN", "commonName", "2.5.4.3"],
  ["ou", "OU", "organizationalUnitName", "2.5.4.11"],
  ["o", "O", "organizationName"],
  ["uid", "userid", "0.9.2342.19200300.100.1.1"],
  ["l", "localityName"],
  ["sn", "surname"],
  ["labeledURI", "labeleduri", "LABELEDURI"],
] as const;

/** Letters with and without case, forms that are compatible, combining marks, spaces, and characters that need an escape. */
const alphabet = Array.from(
  "aAbBzZ019 \u00a0\u3000,;+=<>\"\\#'*()/._-" +
    "\u00e4\u00c4\u00df\u00f8\u00d8\u00e5\u00c5\u0301\u030a\u0130\u0131\u017f\u212a\u2126\u03a3\u03c3\u03c2" +
    "\u0436\u0416\ufb01\uff21\uff41\u2460\u2167\u00ad\u200b\u5c71\u{10400}\u{1f600}\t\n",
);

interface Part {
  readonly type: number;
  readonly value: string;
}
type Name = readonly (readonly Part[])[];

const value = fc
  .array(fc.constantFrom(...alphabet), { minLength: 1, maxLength: 5 })
  .map((characters) => characters.join(""));
const part = fc.record({ type: fc.nat(types.length - 1), value });
const name: fc.Arbitrary<Name> = fc.array(
  fc.uniqueArray(part, { minLength: 1, maxLength: 3, selector: ({ type }) => type }),
  { minLength: 1, maxLength: 3 },
);

/** The same name, or one with another value, type or order. */
const similar = (given: Name): fc.Arbitrary<Name> => {
  const changed = (change: (value: string) => string): Name =>
    given.map((parts, at) => (at === 0 ? parts.map((one) => ({ ...one, value: change(one.value) })) : parts));
  return fc.oneof(
    { weight: 4, arbitrary: fc.constant(given) },
    fc.constant(changed((text) => text.toUpperCase())),
    fc.constant(changed((text) => text.toLowerCase())),
    fc.constant(changed((text) => text.normalize("NFD"))),
    fc.constant(changed((text) => text.normalize("NFKC"))),
    fc.constant(changed((text) => ` ${text.replaceAll(" ", "  ")} `)),
    fc.constantFrom(...alphabet).map((letter) => changed((text) => letter + Array.from(text).slice(1).join(""))),
    fc.nat(types.length - 1).map((type) => given.map((parts, at) => (at === 0 ? [{ ...parts[0]!, type }] : parts))),
    fc.constant(given.toReversed()),
    fc.constant(given.slice(0, Math.max(1, given.length - 1))),
  );
};

const hex = (text: string): string => Buffer.from(text).toString("hex").replace(/../g, "\\$&");

/** A spelling whose forms come from `choices`. */
function spelled(given: Name, choices: readonly number[]): string {
  let at = 0;
  const choose = <Value>(values: readonly Value[]): Value => values[choices[at++ % choices.length]! % values.length]!;
  const character = (one: string, first: boolean, last: boolean): string => {
    // Directories read an unescaped tab or line end at an end of a value as a space.
    if ((first || last) && "\t\n".includes(one)) return hex(one);
    const special = ',;+<>"\\'.includes(one) || (first && one === "#") || ((first || last) && one === " ");
    return special ? choose([`\\${one}`, hex(one)]) : choose([one, one, one, hex(one)]);
  };
  const valueText = (text: string): string => {
    const characters = Array.from(text);
    if (choose([0, 0, 0, 0, 1]) === 1) return `"${text.replace(/["\\]/g, "\\$&")}"`;
    return characters.map((one, index) => character(one, index === 0, index === characters.length - 1)).join("");
  };
  const parts = (list: readonly Part[]): string =>
    choose([list, list.toReversed()])
      .map(({ type, value: text }) => choose(types[type]!) + choose(["=", "=", " = "]) + valueText(text))
      .join(choose(["+", " + "]));
  return given.map(parts).join(choose([",", ",", ", ", " ,"]));
}

const choices = fc.array(fc.nat(999), { minLength: 20, maxLength: 40 });

export const namePairs: fc.Arbitrary<readonly [string, string]> = fc
  .tuple(name, choices, choices)
  .chain(([first, one, other]) =>
    similar(first).map((second) => [spelled(first, one), spelled(second, other)] as const),
  );
