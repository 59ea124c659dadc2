/** Reads search filters (RFC 4515). ldapts takes escaped bytes beyond ASCII as other characters, and reads no attribute options and object identifiers. */
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
const ordered = { "~=": ApproximateFilter, ">=": GreaterThanEqualsFilter, "<=": LessThanEqualsFilter } as const;

/** @param any a text in values that stands for every value @throws {FilterProblem} */
export function readFilter(text: string, any?: string): Filter {
  const trimmed = text.trim();
  return new FilterReader(trimmed.startsWith("(") ? trimmed : `(${trimmed})`, any).whole();
}

class FilterReader {
  readonly #text: string;
  readonly #any: string | undefined;
  #at = 0;

  constructor(text: string, any: string | undefined) {
    this.#text = text;
    this.#any = any;
  }

  whole(): Filter {
    const filter = this.#part();
    if (this.#at < this.#text.length) throw new FilterProblem(`has ${this.#ahead()} after its last parenthesis`);
    return filter;
  }

  #part(): Filter {
    this.#skip("(");
    const filter = this.#inside(this.#take(sign)?.[0]);
    this.#skip(")");
    return filter;
  }

  #inside(kind: string | undefined): Filter {
    if (kind === undefined) return this.#item();
    this.#take(blank);
    if (kind === "!") return new NotFilter({ filter: this.#part() });
    const filters: Filter[] = [];
    // Without a part: true, or false (RFC 4526).
    while (this.#text[this.#at] === "(") filters.push(this.#part());
    return kind === "&" ? new AndFilter({ filters }) : new OrFilter({ filters });
  }

  #item(): Filter {
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
    const any = this.#any !== undefined && value.includes(this.#any) ? this.#any : undefined;
    if (compared === "=") return equality(attribute, any === undefined ? value : value.replaceAll(any, "*"));
    if (any !== undefined) return new PresenceFilter({ attribute: attribute || "objectClass" });
    if (value.includes("*"))
      throw new FilterProblem(
        `has * in ${JSON.stringify(value)} after ${compared}, but only = has patterns: write \\2a`,
      );
    if (extended === null) return new ordered[compared as keyof typeof ordered]({ attribute, value: textOf(value) });
    const [, dn, rule] = extended;
    return new ExtensibleFilter({
      matchType: attribute,
      dnAttributes: dn !== undefined,
      ...(rule === undefined ? {} : { rule }),
      value: textOf(value),
    });
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

function equality(attribute: string, value: string): Filter {
  const [initial = "", ...others] = value.split("*");
  const final = others.pop();
  if (final === undefined) {
    const bytes = bytesOf(value);
    return new EqualityFilter({ attribute, value: isUtf8(bytes) ? bytes.toString() : bytes });
  }
  const inner = others.filter((each) => each !== "");
  if (initial + final === "" && inner.length === 0) return new PresenceFilter({ attribute });
  return new SubstringFilter({ attribute, initial: textOf(initial), any: inner.map(textOf), final: textOf(final) });
}

/** The value without its escapes, which are bytes. */
function bytesOf(value: string): Buffer {
  const wrong = /\\(?![0-9A-Fa-f]{2})(.?)/s.exec(value);
  if (wrong !== null)
    throw new FilterProblem(
      `has \\${wrong[1] ?? ""} in the value ${JSON.stringify(value)}: write \\5c for the backslash, so a comma of a name is \\5c,`,
    );
  const pieces = value.split(/\\([0-9A-Fa-f]{2})/);
  return Buffer.concat(pieces.map((piece, index) => Buffer.from(piece, index % 2 === 1 ? "hex" : "utf8")));
}

function textOf(value: string): string {
  const bytes = bytesOf(value);
  if (!isUtf8(bytes))
    throw new FilterProblem(
      `has bytes that are no UTF-8 in ${JSON.stringify(value)}, which only a whole value may have`,
    );
  return bytes.toString();
}
