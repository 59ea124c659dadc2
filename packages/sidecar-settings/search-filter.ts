/**
 * Reads search filters (RFC 4515) with places such as `{{username}}`. ldapts takes escaped bytes beyond ASCII as other characters, and
 * reads no attribute options and object identifiers.
 */
import { isUtf8 } from "node:buffer";
import {
  AndFilter,
  ApproximateFilter,
  EqualityFilter,
  ExtensibleFilter,
  type Filter,
  GreaterThanEqualsFilter,
  LessThanEqualsFilter,
  NotFilter,
  OrFilter,
  PresenceFilter,
  SubstringFilter,
} from "ldapts";

/** The message is the end of a sentence about the filter. */
export class FilterProblem extends Error {
  override readonly name = "FilterProblem";
}

/** Spaces and line ends between parts, as OpenLDAP's clients accept them. */
const blank = /\s*/y;
const sign = /[&|!]/y;
/** RFC 4512, 2.5, and the underscore of some servers. */
const description = /(?:[A-Za-z][\w-]*|\d+(?:\.\d+)+)(?:;[\w-]+)*/y;
const matchingRule = /(:dn)?(?::((?!=)[^:()=]+))?:=/iy;
const operator = /[~<>]?=/y;
const rest = /[^()]*/y;
const piecePattern = /(\*|\{\{[A-Za-z][A-Za-z0-9-]*\}\})/;
const ordered = { "~=": ApproximateFilter, ">=": GreaterThanEqualsFilter, "<=": LessThanEqualsFilter } as const;

/** In the place of a value: every value. */
const everyValue = Symbol("*");

/** One value, read once: its bytes without escapes, names of places, and asterisks. */
type Pieces = readonly (Buffer | string | typeof everyValue)[];
type ValueOf = (place: string) => string | typeof everyValue;
type Filling = (valueOf: ValueOf) => Filter;

/** A filter, read once. Each value that fills a place is a value and never syntax. */
export class FilterTemplate {
  /** Names of the places, each once. */
  readonly places: readonly string[];
  /** Matching rules of its parts. */
  readonly rules: ReadonlySet<string>;
  readonly #fill: Filling;

  constructor(fill: Filling, places: Iterable<string>, rules: ReadonlySet<string>) {
    this.#fill = fill;
    this.places = [...places];
    this.rules = rules;
  }

  /** The filter for these values. */
  filled(values: Readonly<Record<string, string>> = {}): Filter {
    return this.#fill((place) => {
      const value = values[place];
      if (value === undefined) throw new Error(`A filter lacks the value of {{${place}}}.`);
      return value;
    });
  }

  /** The filter that matches for any values. */
  forEveryValue(): Filter {
    return this.#fill(() => everyValue);
  }
}

/** @throws {FilterProblem} */
export function readFilter(text: string): FilterTemplate {
  const trimmed = text.trim();
  return new FilterReader(trimmed.startsWith("(") ? trimmed : `(${trimmed})`).whole();
}

class FilterReader {
  readonly #text: string;
  readonly #places = new Set<string>();
  readonly #rules = new Set<string>();
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  whole(): FilterTemplate {
    const fill = this.#part();
    if (this.#at < this.#text.length) throw new FilterProblem(`has ${this.#ahead()} after its last parenthesis`);
    return new FilterTemplate(fill, this.#places, this.#rules);
  }

  #part(): Filling {
    this.#skip("(");
    const fill = this.#inside(this.#take(sign)?.[0]);
    this.#skip(")");
    return fill;
  }

  #inside(kind: string | undefined): Filling {
    if (kind === undefined) return this.#item();
    this.#take(blank);
    if (kind === "!") {
      const fill = this.#part();
      return (valueOf) => new NotFilter({ filter: fill(valueOf) });
    }
    const parts: Filling[] = [];
    // Without a part: true, or false (RFC 4526).
    while (this.#text[this.#at] === "(") parts.push(this.#part());
    const Joined = kind === "&" ? AndFilter : OrFilter;
    return (valueOf) => new Joined({ filters: parts.map((fill) => fill(valueOf)) });
  }

  #item(): Filling {
    const start = this.#at;
    const attribute = this.#take(description)?.[0] ?? "";
    const extended = this.#take(matchingRule);
    const [compared] = extended === null ? (this.#take(operator) ?? []) : [":="];
    if (compared === undefined || (attribute === "" && extended === null)) {
      this.#at = start;
      throw new FilterProblem(`has ${this.#ahead()} in place of an attribute and =`);
    }
    const [value = ""] = this.#take(rest) ?? [];
    if (this.#text[this.#at] === "(")
      throw new FilterProblem(`has an unescaped ( after ${JSON.stringify(value)}: write \\28 for it and \\29 for )`);
    const pieces = this.#pieces(value);
    if (compared === "=") return (valueOf) => equality(attribute, filledPieces(pieces, valueOf));
    if (pieces.includes(everyValue))
      throw new FilterProblem(
        `has * in ${JSON.stringify(value)} after ${compared}, but only = has patterns: write \\2a`,
      );
    needText(pieces, value);
    const make = extended === null ? orderedBy(attribute, compared) : this.#extendedBy(attribute, extended);
    return (valueOf) => {
      const [whole = "", ...others] = textsOf(filledPieces(pieces, valueOf));
      return others.length === 0 ? make(whole) : new PresenceFilter({ attribute: attribute || "objectClass" });
    };
  }

  #extendedBy(attribute: string, [, dn, rule]: RegExpExecArray): (value: string) => Filter {
    if (rule !== undefined) this.#rules.add(rule);
    const kind = { matchType: attribute, dnAttributes: dn !== undefined, ...(rule === undefined ? {} : { rule }) };
    return (value) => new ExtensibleFilter({ ...kind, value });
  }

  #pieces(value: string): Pieces {
    const pieces = value.split(piecePattern).flatMap((text, index): Pieces => {
      if (index % 2 === 1) return [text === "*" ? everyValue : text.slice(2, -2)];
      return text === "" ? [] : [bytesOf(text, value)];
    });
    for (const piece of pieces) if (typeof piece === "string") this.#places.add(piece);
    // Only a whole value may have bytes that are no text.
    if (pieces.length > 1) needText(pieces, value);
    return pieces;
  }

  /** Skips a parenthesis and the blanks around it, as far as they belong to no value. */
  #skip(parenthesis: "(" | ")"): void {
    if (this.#text[this.#at] !== parenthesis)
      throw new FilterProblem(`has ${this.#ahead()} in place of ${parenthesis}`);
    this.#at++;
    this.#take(blank);
  }

  #ahead(): string {
    const left = this.#text.slice(this.#at);
    return left === "" ? "its end" : JSON.stringify(left.slice(0, 30));
  }

  #take(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text);
    if (found !== null) this.#at = pattern.lastIndex;
    return found;
  }
}

const orderedBy = (attribute: string, compared: string) => {
  const Ordered = ordered[compared as keyof typeof ordered];
  return (value: string): Filter => new Ordered({ attribute, value });
};

/** A value in place of each place. */
const filledPieces = (pieces: Pieces, valueOf: ValueOf): readonly (Buffer | typeof everyValue)[] =>
  pieces.map((piece) => {
    const value = typeof piece === "string" ? valueOf(piece) : piece;
    return typeof value === "string" ? Buffer.from(value) : value;
  });

/** The texts between the asterisks: one more than asterisks. */
function textsOf(pieces: readonly (Buffer | typeof everyValue)[]): readonly string[] {
  const texts = [""];
  for (const piece of pieces) {
    if (piece === everyValue) texts.push("");
    else texts.push(texts.pop()! + piece.toString());
  }
  return texts;
}

function equality(attribute: string, pieces: readonly (Buffer | typeof everyValue)[]): Filter {
  const [initial = "", ...others] = textsOf(pieces);
  const final = others.pop();
  if (final === undefined) {
    const [bytes] = pieces;
    return new EqualityFilter({ attribute, value: Buffer.isBuffer(bytes) && !isUtf8(bytes) ? bytes : initial });
  }
  const any = others.filter((each) => each !== "");
  if (initial + final === "" && any.length === 0) return new PresenceFilter({ attribute });
  return new SubstringFilter({ attribute, initial, any, final });
}

/** A part of a value without its escapes, which are bytes. */
function bytesOf(part: string, value: string): Buffer {
  const wrong = /\\(?![0-9A-Fa-f]{2})(.?)/s.exec(part);
  if (wrong !== null)
    throw new FilterProblem(
      `has \\${wrong[1] ?? ""} in the value ${JSON.stringify(value)}: write \\5c for the backslash, so a comma of a name is \\5c,`,
    );
  if (part.includes("{{"))
    throw new FilterProblem(`has {{ without a name and }} in ${JSON.stringify(value)}: write \\7b for {`);
  const pieces = part.split(/\\([0-9A-Fa-f]{2})/);
  return Buffer.concat(pieces.map((piece, index) => Buffer.from(piece, index % 2 === 1 ? "hex" : "utf8")));
}

function needText(pieces: Pieces, value: string): void {
  if (pieces.some((piece) => Buffer.isBuffer(piece) && !isUtf8(piece)))
    throw new FilterProblem(
      `has bytes that are no UTF-8 in ${JSON.stringify(value)}, which only a whole value may have`,
    );
}
