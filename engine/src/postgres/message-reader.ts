/** Receives the messages of a backend. */
export interface MessageHandler {
  /** A message whose body is in `data` from `start` to before `end`. */
  message(type: number, data: Buffer, start: number, end: number): void;
  /** A message that arrived in several chunks. */
  longMessage(type: number, body: readonly Buffer[]): void;
}

/** A type byte and a length that counts itself but not the type. */
const headLength = 5;

/** Splits the byte stream from Postgres into its messages (protocol 3.0, section "Message Formats"), without copying them. */
export class MessageReader {
  readonly #handler: MessageHandler;
  /** Bytes of an incomplete head. */
  #partialHead: Buffer | undefined;
  #longType = 0;
  #longBody: Buffer[] = [];
  /** Missing bytes of a long message. */
  #missing = 0;

  constructor(handler: MessageHandler) {
    this.#handler = handler;
  }

  /** Whether none of the received bytes are needed for later messages. */
  get isBetweenMessages(): boolean {
    return this.#missing === 0 && this.#partialHead === undefined;
  }

  take(chunk: Buffer): void {
    const data = this.#partialHead === undefined ? chunk : Buffer.concat([this.#partialHead, chunk]);
    this.#partialHead = undefined;
    let position = this.#missing > 0 ? this.#continueLong(data) : 0;
    while (data.length - position >= headLength) {
      const type = data[position] ?? 0;
      const start = position + headLength;
      const end = position + 1 + data.readUInt32BE(position + 1);
      if (end > data.length) {
        this.#longType = type;
        this.#longBody = start < data.length ? [data.subarray(start)] : [];
        this.#missing = end - data.length;
        return;
      }
      this.#handler.message(type, data, start, end);
      position = end;
    }
    if (position < data.length) this.#partialHead = data.subarray(position);
  }

  /** Number of bytes that belonged to the long message. */
  #continueLong(data: Buffer): number {
    const length = Math.min(this.#missing, data.length);
    this.#longBody.push(length === data.length ? data : data.subarray(0, length));
    this.#missing -= length;
    if (this.#missing === 0) {
      const body = this.#longBody;
      this.#longBody = [];
      this.#handler.longMessage(this.#longType, body);
    }
    return length;
  }
}
