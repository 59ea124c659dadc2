import type Docker from "dockerode";
import { orUndefined } from "./client.ts";
import { FrameReader } from "./frames.ts";

/** The last lines of a container without a terminal, oldest first; empty when the container no longer exists. */
export async function lastLogLines(container: Docker.Container, count: number): Promise<string[]> {
  const buffer = await orUndefined(container.logs({ stdout: true, stderr: true, follow: false, tail: count }));
  const parts: Buffer[] = [];
  const frames = new FrameReader((_output, payload) => parts.push(payload));
  if (buffer) frames.add(buffer);
  return Buffer.concat(parts).toString("utf8").split("\n").filter(Boolean);
}
