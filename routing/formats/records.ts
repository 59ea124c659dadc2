import type { Refusal } from "./refusal.ts";
import type { Skipped, Update } from "./update.ts";

export type ByteSource = AsyncIterable<Buffer>;

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
