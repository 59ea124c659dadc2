import { PassThrough } from "node:stream";
import { expect, test } from "vitest";
import { pruneCommand, pruneHelp } from "./command.ts";

const unused = () => Promise.reject(new Error("the database was opened"));

test("prints its help on request only", async () => {
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  expect(await pruneCommand(["--help"], unused, { stdout, stderr })).toBe(0);
  expect(String(stdout.read())).toBe(pruneHelp);
  for (const [args, message] of [
    [[], "give --keep-days"],
    [["--colour"], "--colour"],
  ] as const) {
    expect(await pruneCommand(args, unused, { stdout, stderr })).toBe(2);
    const text = String(stderr.read());
    expect(text).toContain(message);
    expect(text).toMatch(/^\nFailed: .*\n\nWhat to do: `npm run prune -- --help` lists its options\.\n$/);
  }
});
