import { PassThrough } from "node:stream";
import { expect, test } from "vitest";
import { detectCommand, detectHelp } from "./detect.ts";
import { loadHelp } from "./load-arguments.ts";
import { loadCommand } from "./load.ts";
import { vrpsCommand, vrpsHelp } from "./vrps.ts";

const unused = () => Promise.reject(new Error("the database was opened"));

test.each([
  [loadCommand, loadHelp, ["--demo", "0"], "--demo takes"],
  [detectCommand, detectHelp, [], "takes exactly one CONFIG.yaml"],
  [vrpsCommand, vrpsHelp, [], "takes exactly one FILE or ADDRESS"],
])("prints the help of %o on request only", async (command, help, wrong, problem) => {
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  expect(await command(["--help"], unused, { stdout, stderr })).toBe(0);
  expect(String(stdout.read())).toBe(help);
  for (const [args, message] of [
    [wrong, problem],
    [["--colour"], "--colour"],
  ] as const) {
    expect(await command(args, unused, { stdout, stderr })).toBe(2);
    const text = String(stderr.read());
    expect(text).toContain(message);
    expect(text).toMatch(/^\nFailed: .*\n\nWhat to do: `npm run \w+ -- --help` lists its options\.\n$/);
  }
});
