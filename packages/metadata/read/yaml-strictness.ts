/** Texts that the parser accepts, and that yaml.v3 rejects or reads as another value: it implements YAML 1.1, with its own exceptions. */
import { Lexer } from "yaml";

interface Found {
  readonly offset: number;
  readonly reason: string;
}

/** Of yaml_parser_update_buffer in readerc.go, without zero bytes, which no text of a person has. */
const control = /(?<=\n)\ufeff|(?![\t\n\r\u0085])\p{Cc}|[\ufffe\uffff]/u;
/** Ends of lines in YAML 1.1. */
const otherLineEnd = /[\u0085\u2028\u2029]/;

function wrongCharacter(text: string): Found | undefined {
  const offset = text.search(control);
  const at = offset === -1 ? text.search(otherLineEnd) : offset;
  if (at === -1) return undefined;
  const code = text.charCodeAt(at).toString(16).padStart(4, "0");
  const what = offset === -1 ? "which YAML reads as the end of a line" : "a control character";
  return {
    offset: at,
    reason: `has U+${code.toUpperCase()}, ${what}. Remove it, or write "\\u${code}" in double quotes`,
  };
}

const directive = /^%(?:YAML[ \t]+1\.1(?!\d)|TAG[ \t])/;
const usesTab = "a tab stands where YAML needs spaces. Replace it";
const flowIndicators = ",[]{}";
const wrongName = /^&(?![\w-]+$)|^!(?!<[^>]*>$|[-\w;/?:@&=+$.!~*'()%]*$)/;
const escapedEmptyLine = /^"[^]*\\\n[ \t]*\n/;

/** Marks of the lexer without a text: a document, the end of brackets, and a text behind it. */
const textMark = "\u001f";
const marks = new Set(["\u0002", "\u0018", textMark]);
const isSpace = (token: string): boolean => /^[ \t]+$/.test(token);

/** A list or mapping in brackets, and where its current entry began. */
interface Brackets {
  /** Undefined before the first token of an entry, and for an entry with `?`. */
  line: number | undefined;
}

/** Reads tokens as the scanner of yaml.v3 does, and finds the first that it refuses. */
class Scan {
  #offset = 0;
  #line = 0;
  readonly #brackets: Brackets[] = [];
  #last = "\n";
  /** The last token that is no space. */
  #lastWord = "\n";
  /** Whether the last token is a text without quotes, or a colon behind it. */
  #isPlain = false;
  /** `|` or `>` with its marks, before its text. */
  #header = "";
  /** Whether there was a key with `?`, whose colon begins a line. */
  #isExplicit = false;
  /** Whether the text has no token yet, also no mark. */
  #isEmpty = true;

  find(text: string): Found | undefined {
    let isText = false;
    for (const token of new Lexer().lex(text)) {
      if (!marks.has(token)) {
        const reason = isText ? this.#ofText(token) : this.#ofToken(token);
        if (reason !== undefined) return { offset: this.#offset, reason };
        this.#take(token, isText);
      }
      isText = token === textMark;
    }
    return undefined;
  }

  #ofText(token: string): string | undefined {
    // Lines before the first text set the indentation.
    if (/\d/.test(this.#header))
      return /\S/.test(token) ? undefined : "a block text with a digit in its mark has only spaces. Write it in quotes";
    if (this.#header !== "") return /^(?: *\n)* *\t/.test(token) ? usesTab : undefined;
    if (token === "" && this.#last.startsWith("!")) return undefined;
    const [sign] = this.#brackets.length > 0 ? (/^:|\?/.exec(token) ?? []) : [];
    return sign && `a value within brackets ${sign === ":" ? "begins with" : "has a"} ${sign}. Put it into quotes`;
  }

  #ofToken(token: string): string | undefined {
    if (isSpace(token)) {
      const isIndentation = this.#brackets.length === 0 && /^[\n?-]$/.test(this.#lastWord);
      return isIndentation && token.includes("\t") ? usesTab : undefined;
    }
    if (token.startsWith("%") && !directive.test(token))
      return `Hasura's CLI rejects the directive ${token.trim().slice(0, 40)}. Remove the line`;
    if (token === "..." && this.#isEmpty) return "has no value before the end mark (...). Remove the mark";
    if (wrongName.test(token)) return `${token.slice(0, 40)} has a character that no anchor and no type has. Remove it`;
    if (escapedEmptyLine.test(token)) return "a backslash ends a line before an empty one. Remove the backslash";
    const entry = this.#brackets.at(-1);
    if (entry === undefined)
      return token === ":" && this.#lastWord === "\n" && !this.#isExplicit
        ? "a key is empty or does not end on its line. Write it and its colon on one line"
        : undefined;
    if (token === ":" && entry.line !== undefined && entry.line < this.#line)
      return "a key within brackets does not end on its line. Write it and its colon on one line";
    if (this.#last.startsWith("&") && !/^[\s,\]}]/.test(token))
      return `the anchor ${this.#last} has no space behind it. Write one`;
    if (!flowIndicators.includes(token)) return undefined;
    if (this.#last.startsWith("!")) return `the type ${this.#last} has no space behind it. Write one`;
    return this.#last === ":" && this.#isPlain
      ? "a colon within brackets has no space behind it. Write one"
      : undefined;
  }

  #take(token: string, isText: boolean): void {
    /** A space, a comment or the end of a line. */
    const isGap = !isText && /^\s*(?:#|$)/.test(token);
    if (isText) this.#begin();
    else this.#nest(token, isGap);
    this.#offset += token.length;
    this.#line += token.split("\n").length - 1;
    this.#isPlain = isText ? this.#header === "" : token === ":" && this.#isPlain;
    if (!isGap) this.#header = !isText && /^[|>]/.test(token) ? token : "";
    if (!isGap && (isText || !/^[%\ufeff]/.test(token))) this.#isEmpty = false;
    if (!isText && token === "?") this.#isExplicit = true;
    if (token === "") return;
    this.#last = token;
    if (isText || !isSpace(token)) this.#lastWord = !isText && token.includes("\n") ? "\n" : token;
  }

  #begin(): void {
    const entry = this.#brackets.at(-1);
    if (entry !== undefined) entry.line ??= this.#line;
  }

  #nest(token: string, isGap: boolean): void {
    const entry = this.#brackets.at(-1);
    if (token === "[" || token === "{") {
      this.#begin();
      this.#brackets.push({ line: undefined });
    } else if (token === "]" || token === "}") this.#brackets.pop();
    else if (entry === undefined || isGap) return;
    else if (token === ",") entry.line = undefined;
    else if (token === "?" || token === ":") entry.line = Number.POSITIVE_INFINITY;
    else this.#begin();
  }
}

/** @returns the first place that yaml.v3 reads in another way, with its line from 1 */
export function strictness(text: string): { readonly line: number; readonly reason: string } | undefined {
  const found = wrongCharacter(text) ?? new Scan().find(text);
  return found && { line: text.slice(0, found.offset).split("\n").length, reason: found.reason };
}
