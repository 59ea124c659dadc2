import type Docker from "dockerode";
import { Readable } from "node:stream";
import { expect, test } from "vitest";
import { readDockerLog } from "./read-logs.ts";

function frame(output: number, text: string): Buffer {
  const header = Buffer.alloc(8);
  header[0] = output;
  header.writeUInt32BE(Buffer.byteLength(text), 4);
  return Buffer.concat([header, Buffer.from(text)]);
}

async function read(follow: boolean, ...frames: readonly Buffer[]): Promise<readonly string[]> {
  const answer = follow ? Readable.from(frames) : Buffer.concat(frames);
  const container = { logs: () => Promise.resolve(answer) } as unknown as Docker.Container;
  const lines: string[] = [];
  const options = { follow, tail: undefined, since: undefined };
  const { signal } = new AbortController();
  await readDockerLog(container, "routeql-dev-engine", options, (line) => lines.push(line), signal);
  return lines;
}

test.each([false, true])("reads both outputs of a container, with follow %s", async (follow) =>
  expect(await read(follow, frame(1, "one\n"), frame(2, "two\n"))).toEqual(["one", "two"]),
);

test("keeps a character whose bytes arrive apart", async () => {
  const whole = frame(1, "1 — 2\n");
  expect(await read(true, whole.subarray(0, 11), whole.subarray(11))).toEqual(["1 — 2"]);
});

test.each([
  ["open /var/lib/docker/containers/1/1-json.log: no such file or directory", "`docker restart routeql-dev-engine`"],
  ["unexpected EOF", "check the disk"],
])("fails with the next step when the daemon reports: %s", async (error, step) => {
  for (const follow of [false, true])
    await expect(read(follow, frame(1, "one\n"), frame(3, `Error grabbing logs: ${error}\n`))).rejects.toMatchObject({
      message: `Docker could not read the log of routeql-dev-engine: ${error}`,
      remedy: expect.stringContaining(step) as string,
    });
});
