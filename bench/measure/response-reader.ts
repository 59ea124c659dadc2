const headEnd = "\r\n\r\n";

/**
 * Reads the HTTP/1.1 responses of one connection for a load generator: their status and their end. Bodies are counted, not stored. It
 * costs a tenth of a full client, so that the server gets the processor's time.
 */
export class ResponseReader {
  readonly #onResponse: (status: number, bytes: number, closes: boolean) => void;
  #pending: Buffer | undefined;
  #status = 0;
  #closes = false;
  #bytes = 0;
  /** Remaining bytes of the body; undefined while a head is read. */
  #remaining: number | undefined;
  #chunked = false;

  constructor(onResponse: (status: number, bytes: number, closes: boolean) => void) {
    this.#onResponse = onResponse;
  }

  take(data: Buffer): void {
    let rest = this.#pending === undefined ? data : Buffer.concat([this.#pending, data]);
    this.#pending = undefined;
    while (rest.length > 0) {
      const used =
        this.#remaining === undefined ? this.#head(rest) : this.#chunked ? this.#chunks(rest) : this.#body(rest);
      if (used === 0) {
        this.#pending = rest;
        return;
      }
      rest = rest.subarray(used);
    }
  }

  #head(data: Buffer): number {
    const end = data.indexOf(headEnd);
    if (end === -1) return 0;
    const head = data.toString("latin1", 0, end);
    this.#status = Number(head.slice(9, 12));
    this.#closes = /\r\nconnection: *close/i.test(head);
    this.#chunked = /\r\ntransfer-encoding: *chunked/i.test(head);
    this.#remaining = this.#chunked ? 0 : Number(/\r\ncontent-length: *(\d+)/i.exec(head)?.[1] ?? 0);
    this.#bytes = 0;
    if (!this.#chunked && this.#remaining === 0) this.#finish();
    return end + headEnd.length;
  }

  #body(data: Buffer): number {
    const used = Math.min(data.length, this.#remaining ?? 0);
    this.#bytes += used;
    this.#remaining = (this.#remaining ?? 0) - used;
    if (this.#remaining === 0) this.#finish();
    return used;
  }

  /** Reads one chunk with its line and its end (RFC 9112 section 7.1); trailers are not expected. */
  #chunks(data: Buffer): number {
    const lineEnd = data.indexOf("\r\n");
    if (lineEnd === -1) return 0;
    const size = Number.parseInt(data.toString("latin1", 0, lineEnd), 16);
    const whole = lineEnd + 2 + size + 2;
    if (data.length < whole) return 0;
    this.#bytes += size;
    if (size === 0) this.#finish();
    return whole;
  }

  #finish(): void {
    this.#remaining = undefined;
    this.#onResponse(this.#status, this.#bytes, this.#closes);
  }
}
