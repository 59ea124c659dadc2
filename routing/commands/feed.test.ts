import { mkdtempDisposableSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { expect, test } from "vitest";
import { feedCommand } from "./feed.ts";

const opened = new Error("the database was opened");

async function replay(lines: readonly string[]): Promise<{ code: number | Error; errors: string }> {
  using folder = mkdtempDisposableSync(join(tmpdir(), "routeql-replay-"));
  const file = join(folder.path, "updates.txt");
  writeFileSync(file, `${lines.join("\n")}\n`);
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  const code = await feedCommand(["--replay", file], () => Promise.reject(opened), { stdout, stderr }).catch(
    (error: Error) => error,
  );
  return { code, errors: String(stderr.read() ?? "") };
}

const good = "BGP4MP|1700000000|A|192.0.2.1|64500|198.51.100.0/24|64500 64496|IGP|192.0.2.1|0|0||NAG||";
const bad = good.replace("198.51.100.0/24", "198.51.100.0/33");

test("a replay counts refused lines, and replays the others", async () => {
  const { code, errors } = await replay([good, bad]);
  expect(code).toBe(opened);
  expect(errors).toMatch(/updates\.txt\n {2}refused {5}1\n/);
});

test("a replay of refused lines alone fails before it opens the database", async () => {
  const { code, errors } = await replay([bad]);
  expect(code).toBe(1);
  expect(errors).toContain("nothing was replayed: every line was refused");
});

test("a replay reads files of more updates than a call takes arguments", async () => {
  expect(await replay(Array.from({ length: 200_000 }, () => good))).toEqual({ code: opened, errors: "" });
});
