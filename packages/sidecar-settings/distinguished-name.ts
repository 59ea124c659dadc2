import { comparedValue, typeOf } from "./naming-attributes.ts";

/** One `type=value` of a name. */
interface NamingAttribute {
  /** The attribute's one name for all its spellings, such as `cn` for `2.5.4.3`. */
  readonly type: string;
  /** Without escapes. */
  readonly value: string;
}

/** The name of an entry, read once (RFC 4514). */
export interface DistinguishedName {
  /** Equal for names that a directory compares as equal, and only for them. */
  readonly key: string;
  /** The entry's own, first, part. */
  readonly own: readonly NamingAttribute[];
  /** Values of the domain components at the end (RFC 2247), such as `example` and `net`. */
  readonly domain: readonly string[];
}

/** Reads a name in the form of RFC 4514. @returns undefined for another text */
export function parseName(text: string): DistinguishedName | undefined {
  const parts = new NameReader(text).parts();
  if (parts === undefined) return undefined;
  const isComponent = (part: readonly NamingAttribute[]): boolean => part.length === 1 && part[0]!.type === "dc";
  const domain = parts
    .slice(parts.findLastIndex((part) => !isComponent(part)) + 1)
    .map(([component]) => component!.value);
  return { key: parts.map(keyOfPart).join(","), own: parts[0] ?? [], domain };
}

/** The value of an attribute in the entry's own part. */
export const ownValue = (name: DistinguishedName | undefined, type: string): string | undefined =>
  name?.own.find((one) => one.type === typeOf(type))?.value;

/** Whether two names are of one attribute, such as `cn` and `commonName`: a directory may answer with another one than it was asked for. */
export const isSameAttribute = (one: string, other: string): boolean => typeOf(one) === typeOf(other);

/** Whether a directory compares two values of an attribute as equal. */
export function isSameValue(attribute: string, one: string, other: string): boolean {
  const type = typeOf(attribute);
  return comparedValue(type, one) === comparedValue(type, other);
}

/** The attributes of one part have no order. */
function keyOfPart(part: readonly NamingAttribute[]): string {
  return part
    .map(({ type, value }) => `${type}=${JSON.stringify(comparedValue(type, value))}`)
    .toSorted()
    .join("+");
}

const typePattern = /[ \t\r\n]*([A-Za-z][A-Za-z0-9-]*|\d+(?:\.\d+)+)[ \t\r\n]*=[ \t\r\n]*/y;
const hexPattern = /#((?:[0-9A-Fa-f]{2})+)/y;
const pairPattern = /\\([ "#+,;<=>\\]|[0-9A-Fa-f]{2})/y;
/** Text without the characters that need an escape. */
const plainPattern = /[^\\"+,;<>\0]+/y;
/** The form of LDAPv2 for a whole value, with its own need of escapes (RFC 2253, 4). */
const quote = /"/y;
const quotedPattern = /[^\\"\0]+/y;
const spaces = /[ \t\r\n]*/y;
const separator = /[,;+]/y;

/** Reads a text from left to right. */
class NameReader {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  parts(): readonly (readonly NamingAttribute[])[] | undefined {
    const parts: NamingAttribute[][] = [[]];
    while (true) {
      const attribute = this.#attribute();
      if (attribute === undefined) return undefined;
      parts.at(-1)!.push(attribute);
      if (this.#at === this.#text.length) return parts;
      const found = this.#take(separator)?.[0];
      if (found === undefined) return undefined;
      if (found !== "+") parts.push([]);
    }
  }

  #attribute(): NamingAttribute | undefined {
    const [, name] = this.#take(typePattern) ?? [];
    if (name === undefined) return undefined;
    const value = this.#value();
    this.#take(spaces);
    return value === undefined ? undefined : { type: typeOf(name), value };
  }

  #value(): string | undefined {
    if (this.#take(quote) !== null) {
      const value = this.#characters(quotedPattern);
      return this.#take(quote) === null ? undefined : textOf(value);
    }
    if (this.#text[this.#at] !== "#") return textOf(this.#characters(plainPattern));
    const [, hex] = this.#take(hexPattern) ?? [];
    return hex === undefined ? undefined : textOfElement(Buffer.from(hex, "hex"));
  }

  /** Characters of the pattern, and escaped ones. Spaces at its end belong to the value only when they are escaped or quoted. */
  #characters(pattern: RegExp): Buffer {
    const pieces: Buffer[] = [];
    while (true) {
      const [, pair] = this.#take(pairPattern) ?? [];
      const [plain] = pair === undefined ? (this.#take(pattern) ?? []) : [];
      if (pair !== undefined) pieces.push(pair.length === 2 ? Buffer.from(pair, "hex") : Buffer.from(pair));
      else if (plain === undefined) return Buffer.concat(pieces);
      else pieces.push(Buffer.from(this.#endsUnquoted(pattern) ? plain.replace(/[ \t\r\n]+$/, "") : plain));
    }
  }

  /** Whether an unquoted value ends here. */
  #endsUnquoted(pattern: RegExp): boolean {
    return pattern !== quotedPattern && this.#text[this.#at] !== "\\";
  }

  #take(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text);
    if (found !== null) this.#at = pattern.lastIndex;
    return found;
  }
}

function textOf(bytes: Buffer): string | undefined {
  const text = bytes.toString();
  return Buffer.from(text).equals(bytes) && !text.includes("\0") ? text : undefined;
}

/** Tags of texts in BER: octet, UTF-8, numeric, printable, IA5 and visible string. */
const textTags = new Set([0x04, 0x0c, 0x12, 0x13, 0x16, 0x1a]);

/** The text in the BER encoding of a value, as `#04034e4f43` has it (RFC 4514, 2.4). */
function textOfElement([tag = 0, length = -1, ...content]: Buffer): string | undefined {
  return textTags.has(tag) && length < 0x80 && length === content.length ? textOf(Buffer.from(content)) : undefined;
}
