import type Docker from "dockerode";
import { orUndefined } from "./client.ts";
import { printable } from "@routeql/contract/printable";

const headerLength = 8;

/** Output of a container without a terminal: 1 is its standard output, 2 its standard error. */
export type Output = 1 | 2;

/** Splits an attached container's stream (Docker Engine API, "Attach to a container"): passes payloads on before a frame ends. */
export class FrameReader {
  readonly #onPayload: (output: Output, payload: Buffer) => void;
  readonly #onProblem: (payload: Buffer) => void;
  #header = Buffer.alloc(0);
  #output: Output | 3 = 1;
  #left = 0;

  /** @param onProblem takes the daemon's own errors; by default they join the standard output */
  constructor(
    onPayload: (output: Output, payload: Buffer) => void,
    onProblem: (payload: Buffer) => void = (payload) => onPayload(1, payload),
  ) {
    this.#onPayload = onPayload;
    this.#onProblem = onProblem;
  }

  add(chunk: Buffer): void {
    let rest = chunk;
    while (rest.length > 0) {
      if (this.#left > 0) {
        const payload = rest.subarray(0, this.#left);
        this.#left -= payload.length;
        rest = rest.subarray(payload.length);
        if (this.#output === 3) this.#onProblem(payload);
        else this.#onPayload(this.#output, payload);
        continue;
      }
      const needed = headerLength - this.#header.length;
      this.#header = Buffer.concat([this.#header, rest.subarray(0, needed)]);
      rest = rest.subarray(needed);
      if (this.#header.length < headerLength) return;
      this.#output = this.#header[0] === 2 || this.#header[0] === 3 ? this.#header[0] : 1;
      this.#left = this.#header.readUInt32BE(4);
      this.#header = Buffer.alloc(0);
    }
  }
}

/** The last lines of a container without a terminal, oldest first; empty when the container no longer exists. */
export async function lastLogLines(container: Docker.Container, count: number): Promise<string[]> {
  const buffer = await orUndefined(container.logs({ stdout: true, stderr: true, follow: false, tail: count }));
  const parts: Buffer[] = [];
  const frames = new FrameReader((_output, payload) => parts.push(payload));
  if (buffer) frames.add(buffer);
  return Buffer.concat(parts)
    .toString("utf8")
    .split("\n")
    .filter(Boolean)
    .map((line) => printable(line.replace(/\r$/, "")));
}
