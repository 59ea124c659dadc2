import { Tokenizer, TokenParser, TokenType } from "@streamparser/json";
import { parseBgpdumpLine } from "./bgpdump.ts";
import type { ByteSource } from "./byte-source.ts";
import { lines } from "./lines.ts";
import { BrokenInput, type Refusal } from "./refusal.ts";
import { parseRipestatUpdate } from "./ripestat.ts";
import type { Skipped, Update } from "./update.ts";

/** One line or one list element of an input, parsed. */
export interface InputRecord {
  /** Line number, or number of the element, from 1. */
  readonly position: number;
  /** The original text, for messages. */
  readonly text: () => string;
  readonly parsed: Update | Skipped | Refusal;
}

/** Records in the order of the input, in batches small enough to hold. */
export type Records = AsyncIterable<readonly InputRecord[]>;

/** The records of `bgpdump -m` text; empty lines are skipped. */
export async function* bgpdumpRecords(source: ByteSource, service: string): Records {
  let position = 0;
  for await (const batch of lines(source)) {
    const records: InputRecord[] = [];
    for (const line of batch) {
      position += 1;
      if (line !== "") records.push({ position, text: () => line, parsed: parseBgpdumpLine(line, service) });
    }
    yield records;
  }
}

/**
 * The records of RIPEstat's bgp-updates answer, read as a stream.
 * @throws BrokenInput for invalid or truncated JSON, and {@link NotRipestat} for valid JSON with other content.
 */
export async function* ripestatRecords(source: ByteSource): Records {
  let position = 0;
  let records: InputRecord[] = [];
  const parser = new TokenParser({ paths: ["$.data.updates.*"], keepStack: false });
  parser.onValue = ({ value, key }) => {
    if (typeof key !== "number") return; // `updates` is not a list here
    position += 1;
    records.push({ position, text: () => JSON.stringify(value), parsed: parseRipestatUpdate(value) });
  };
  const tokenizer = new Tokenizer();
  const updates = new UpdatesList();
  tokenizer.onToken = (token) => {
    updates.look(token);
    parser.write(token);
  };
  const parse = (step: () => void): void => {
    try {
      step();
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      throw new BrokenInput(`the JSON is broken after update ${position}: ${reason}`, { cause: error });
    }
  };
  for await (const chunk of source) {
    parse(() => tokenizer.write(chunk));
    yield records;
    records = [];
  }
  parse(() => {
    if (!tokenizer.isEnded) tokenizer.end();
    if (!parser.isEnded) parser.end();
  });
  if (!updates.seen) throw new NotRipestat("it is JSON, but no bgp-updates answer of RIPEstat");
}

/** Whether there was a list named `updates`, even an empty one; asking the parser for the list would keep all of it in memory. */
class UpdatesList {
  seen = false;
  private recent = "";

  look({ token, value }: { token: TokenType; value: unknown }): void {
    if (this.seen) return;
    if (token === TokenType.STRING) this.recent = value === "updates" ? "name" : "";
    else if (token === TokenType.COLON && this.recent === "name") this.recent = "colon";
    else {
      this.seen = token === TokenType.LEFT_BRACKET && this.recent === "colon";
      this.recent = "";
    }
  }
}

/** Valid JSON without `data.updates`. */
export class NotRipestat extends BrokenInput {}
