import { BrokenInput, Refusal } from "./refusal.ts";

/** Far above any update of RIPEstat and any payload of an RPKI validator. */
const MOST_BYTES = 262_144;
const MOST_DEPTH = 16;
/** Outside the list: the answer's own description, and smaller lists. */
const MOST_OTHER_BYTES = 4_194_304;

/** More than the names of searched lists. */
const MOST_NAME_BYTES = 64;

const tooLarge = new Refusal(`the element has more than ${MOST_BYTES / 1024} KiB or ${MOST_DEPTH} levels`);

const [quote, backslash, comma, colon, openList, closeList, openObject, closeObject] = Buffer.from('"\\,:[]{}');
const isSpace = (byte: number): boolean => byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;

/** Splits JSON into the elements of one of its lists. Neither memory nor the stack grows with the input. */
export class JsonElements {
  /** Whether the list was there, even an empty one. */
  seen = false;
  private read = 0;
  private depth = 0;
  private inString = false;
  private escaped = false;
  private inList = false;
  /** Position in the list: before its first value, after a value, or after a comma. */
  private place: "start" | "value" | "comma" = "start";
  private element: { parts: Buffer[]; bytes: number; tooLarge: boolean } | undefined;
  /** The text outside the list, for validation at the end. */
  private readonly other: number[] = [];
  private stringFrom = 0;
  private readonly keys: string[] = [];
  private readonly path: readonly string[];
  /** Depth inside the list: the objects around it and the list itself. */
  private readonly list: number;

  /** @param path names of the objects around the list and of the list */
  constructor(...path: readonly string[]) {
    this.path = path;
    this.list = path.length + 1;
  }

  /** The elements that end in this chunk, as JSON text. */
  write(chunk: Buffer): (string | Refusal)[] {
    const found: (string | Refusal)[] = [];
    let from = 0;
    const start = (at: number): void => {
      if (this.place === "value") throw this.broken("a comma is missing");
      this.element = { parts: [], bytes: 0, tooLarge: false };
      from = at;
    };
    const end = (at: number): void => {
      this.keep(chunk.subarray(from, at));
      const { parts, tooLarge: dropped } = this.element!;
      found.push(dropped ? tooLarge : Buffer.concat(parts).toString());
      this.element = undefined;
      this.place = "value";
      this.read += 1;
    };
    for (let at = 0; at < chunk.length; at += 1) {
      const byte = chunk[at]!;
      if (!this.inList) {
        this.outside(byte);
        continue;
      }
      if (this.inString) this.string(byte);
      else if (byte === openObject || byte === openList) {
        if (this.element === undefined) start(at);
        this.depth += 1;
        if (this.depth > this.list + MOST_DEPTH) this.element!.tooLarge = true;
      } else if ((byte === closeObject || byte === closeList) && this.depth > this.list) {
        this.depth -= 1;
        if (this.depth === this.list) end(at + 1);
      } else if (this.depth === this.list && (byte === comma || byte === closeList || isSpace(byte))) {
        if (this.element !== undefined) end(at); // a number, a string or a constant
        if (!isSpace(byte)) this.endOfValue(byte);
      } else {
        if (this.element === undefined) start(at);
        if (byte === quote) this.inString = true;
      }
    }
    if (this.element !== undefined) this.keep(chunk.subarray(from));
    return found;
  }

  /** @returns the JSON, whose list is empty @throws BrokenInput when the JSON is incomplete, or invalid outside its elements */
  end(): unknown {
    if (this.inList) throw this.broken("it ends early");
    try {
      // The decoder leaves a byte order mark out.
      return JSON.parse(new TextDecoder().decode(Buffer.from(this.other)));
    } catch (error) {
      throw this.broken(error instanceof Error ? error.message : String(error));
    }
  }

  private broken(reason: string): BrokenInput {
    return new BrokenInput(`the JSON is broken after element ${this.read} of its list: ${reason}`);
  }

  private keep(bytes: Buffer): void {
    const element = this.element!;
    element.bytes += bytes.length;
    if (element.bytes > MOST_BYTES) element.tooLarge = true;
    if (element.tooLarge) element.parts = [];
    else element.parts.push(bytes);
  }

  private string(byte: number): void {
    if (this.escaped) this.escaped = false;
    else if (byte === backslash) this.escaped = true;
    else if (byte === quote) this.inString = false;
  }

  private endOfValue(byte: number): void {
    if (byte === comma) {
      if (this.place !== "value") throw this.broken("a value is missing");
      this.place = "comma";
    } else {
      if (this.place === "comma") throw this.broken("a value is missing");
      this.inList = false;
      this.outside(byte);
    }
  }

  /** The text between the start of the last string and a colon; only its first bytes, because longer ones are not searched. */
  private name(): string {
    const end = Math.min(this.other.length - 1, this.stringFrom + MOST_NAME_BYTES);
    return Buffer.from(this.other.slice(this.stringFrom, end)).toString().trimEnd();
  }

  private outside(byte: number): void {
    if (this.other.push(byte) > MOST_OTHER_BYTES)
      throw this.broken(`it has more than ${MOST_OTHER_BYTES / 1024} KiB outside the list ${this.path.join(".")}`);
    if (this.inString) this.string(byte);
    else if (byte === quote) {
      this.inString = true;
      this.stringFrom = this.other.length;
    } else if (byte === colon && this.depth < this.list) this.keys[this.depth] = this.name();
    else if (byte === openObject || byte === openList) {
      this.depth += 1;
      const opensList = this.depth === this.list && byte === openList;
      if (opensList && this.path.every((name, index) => this.keys[index + 1] === `${name}"`)) {
        this.seen = this.inList = true;
        this.place = "start";
      } else if (byte === openList) this.keys[this.depth] = "";
    } else if (byte === closeObject || byte === closeList) this.depth -= 1;
  }
}
