import type { Duplex } from "node:stream";
import { FrameReader } from "../database/frames.ts";

/** Hands what an attached program without a terminal prints on to this process' own outputs, as fast as they take it. */
export function passOutput(stream: Duplex): void {
  const frames = new FrameReader((output, payload) => {
    const target = output === 2 ? process.stderr : process.stdout;
    if (target.write(payload)) return;
    stream.pause();
    target.once("drain", () => stream.resume());
  });
  stream.on("data", (chunk: Buffer) => frames.add(chunk));
}
