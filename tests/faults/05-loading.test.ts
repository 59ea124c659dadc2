import { spawn } from "node:child_process";
import { mkdtempDisposableSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";
import { announcement } from "../e2e/support/data/small-world.ts";
import { stack } from "../e2e/support/stack/stack.ts";
import { countFault } from "./support/figures.ts";
import { asSuperuser, crash } from "./support/parts.ts";

const repository = resolve(import.meta.dirname, "../..");
const linesPerFile = 20_000;
/** From the second half of the benchmark network (RFC 2544). */
const prefixes = [100, 101, 102].map((third) => `198.19.${third}.0/24`);

function writeFiles(folder: string): string[] {
  return prefixes.map((prefix, number) => {
    const file = join(folder, `updates.${number}.bgpdump`);
    const lines = Array.from(
      { length: linesPerFile },
      (_, index) =>
        announcement({
          prefix,
          path: [64_500, 64_501 + (index % 9), 64_496],
          at: `${1_700_100_000 + Math.floor(index / 10)}.${String(100_000 + index)}`,
        }).text,
    );
    writeFileSync(file, `${lines.join("\n")}\n`);
    return file;
  });
}

/** Loads the files, and calls `onFirst` once the command reports that the first one is loaded. */
async function load(
  paths: readonly string[],
  onFirst?: () => Promise<void>,
): Promise<{ code: number | null; acknowledged: number; output: string }> {
  const child = spawn(process.execPath, ["cli/main.ts", "load", "--stack", stack.name, ...paths], { cwd: repository });
  let output = "";
  let harmed: Promise<void> | undefined;
  const acknowledged = (): number => output.match(/loaded +20,000/g)?.length ?? 0;
  for (const stream of [child.stdout, child.stderr]) {
    stream.on("data", (chunk: Buffer) => {
      output += chunk.toString();
      if (acknowledged() === 1) harmed ??= onFirst?.();
    });
  }
  const code = await new Promise<number | null>((settle) => child.once("close", settle));
  await harmed;
  return { code, acknowledged: acknowledged(), output };
}

const count = async (): Promise<number> =>
  Number(
    await asSuperuser(
      `select count(*) from routing.bgp_updates where prefix in (${prefixes.map((prefix) => `'${prefix}'`).join(", ")})`,
    ),
  );

test(
  "a crash of the database ends a load with a report, and a second run completes",
  { timeout: 180_000 },
  async () => {
    using folder = mkdtempDisposableSync(join(tmpdir(), "routeql-faults-"));
    await asSuperuser("delete from routing.bgp_updates where prefix <<= '198.19.0.0/16'");
    const paths = writeFiles(folder.path);
    const started = performance.now();
    const first = await load(paths, () => crash("database"));
    expect(first.acknowledged, first.output).toBeGreaterThan(0);
    expect(first.code).not.toBe(0);
    await expect.poll(() => asSuperuser("select 1").catch(() => ""), { timeout: 60_000 }).toBe("1\n");
    const there = await count();
    expect(there).toBeGreaterThanOrEqual(first.acknowledged * linesPerFile);
    expect(there % linesPerFile).toBe(0);
    const second = await load(paths);
    expect(second.code, second.output).toBe(0);
    expect(await count()).toBe(3 * linesPerFile);
    countFault({ requests: 0, wrong: 0, lost: 0, recovered: performance.now() - started, longest: 0 });
  },
);
