import type Docker from "dockerode";
import { orUndefined } from "./client.ts";

const frameHeader = 8;

/**
 * The text of both outputs of a container without a terminal: frames of a stream byte, three zeros, a 32-bit length and the
 * payload (Docker Engine API, attach).
 */
export function withoutFrames(buffer: Buffer): string {
  const parts: Buffer[] = [];
  for (let at = 0; at + frameHeader <= buffer.length; ) {
    const end = at + frameHeader + buffer.readUInt32BE(at + 4);
    parts.push(buffer.subarray(at + frameHeader, end));
    at = end;
  }
  return Buffer.concat(parts).toString("utf8");
}

/** The last lines that a container has written, oldest first; none when it is gone. */
export async function lastLogLines(container: Docker.Container, count: number): Promise<string[]> {
  const buffer = await orUndefined(container.logs({ stdout: true, stderr: true, follow: false, tail: count }));
  return buffer ? withoutFrames(buffer).split("\n").filter(Boolean) : [];
}
