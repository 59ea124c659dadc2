/** AS numbers of a rule: all, or numbers and ranges `[first, last]`. */
export type AsNumbers = "*" | readonly (number | readonly [first: number, last: number])[];

/** A test for membership that is fast for large lists. */
export class AsSet {
  readonly isEmpty: boolean;
  readonly #any: boolean;
  readonly #numbers = new Set<number>();
  readonly #ranges: (readonly [number, number])[] = [];

  constructor(numbers: AsNumbers) {
    this.#any = numbers === "*";
    this.isEmpty = numbers.length === 0;
    if (numbers === "*") return;
    for (const each of numbers)
      if (typeof each === "number") this.#numbers.add(each);
      else this.#ranges.push(each);
  }

  has(asn: number): boolean {
    return this.#any || this.#numbers.has(asn) || this.#ranges.some(([first, last]) => asn >= first && asn <= last);
  }
}
