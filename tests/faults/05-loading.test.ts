import { spawn } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { announcement } from "../e2e/support/small-world.ts";
import { stack } from "../e2e/support/stack.ts";
import { run } from "../harness/process.ts";
import { countFault } from "./support/figures.ts";
import { asSuperuser, crash } from "./support/parts.ts";

const repository = resolve(import.meta.dirname, "../..");
const linesPerFile = 20_000;

describe("a load is aborted half-way and run again", () => {
  let folder: string;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "routeql-faults-"));
    await asSuperuser("delete from routing.bgp_updates where prefix <<= '198.19.0.0/16'");
  });

  afterAll(() => rm(folder, { recursive: true }));

  /** Three files of updates from the second half of the benchmark network (RFC 2544), each with its own second octet. */
  async function files(third: number): Promise<string[]> {
    return Promise.all(
      [0, 1, 2].map(async (number) => {
        const file = join(folder, `updates.${third}-${number}.bgpdump`);
        const lines = Array.from(
          { length: linesPerFile },
          (_, index) =>
            announcement({
              prefix: `198.19.${third + number}.0/24`,
              path: [64_500, 64_501 + (index % 9), 64_496],
              at: `${1_700_100_000 + Math.floor(index / 10)}.${String(100_000 + index)}`,
            }).text,
        );
        await writeFile(file, `${lines.join("\n")}\n`);
        return file;
      }),
    );
  }

  const countOf = async (third: number): Promise<number> =>
    Number(
      await asSuperuser(
        `select count(*) from routing.bgp_updates where prefix in ('198.19.${third}.0/24', '198.19.${third + 1}.0/24', '198.19.${third + 2}.0/24')`,
      ),
    );

  /**
   * Starts the command and runs `harm` after its output reports that the first file is loaded. Returns its exit code and the number of
   * acknowledged files.
   */
  async function interrupted(
    paths: readonly string[],
    harm: (kill: () => void) => Promise<void> | void,
  ): Promise<{ code: number | null; acknowledged: number }> {
    const child = spawn(process.execPath, ["cli/main.ts", "load", "--stack", stack.name, ...paths], {
      cwd: repository,
    });
    let output = "";
    let harmed: Promise<void> | undefined;
    const acknowledged = (): number => output.match(/loaded +20,000/g)?.length ?? 0;
    for (const stream of [child.stdout, child.stderr]) {
      stream.on("data", (chunk: Buffer) => {
        output += chunk.toString();
        if (acknowledged() === 1) harmed ??= Promise.resolve(harm(() => child.kill("SIGKILL")));
      });
    }
    const code = await new Promise<number | null>((settle) => child.once("close", settle));
    await harmed;
    expect(harmed, output).toBeDefined();
    return { code, acknowledged: acknowledged() };
  }

  async function again(paths: readonly string[], third: number): Promise<void> {
    const { code, stdout, stderr } = await run(
      process.execPath,
      ["cli/main.ts", "load", "--stack", stack.name, ...paths],
      { cwd: repository, timeout: 120_000 },
    );
    expect(code, stdout + stderr).toBe(0);
    expect(await countOf(third)).toBe(3 * linesPerFile);
  }

  test(
    "by a crash of the database: the command reports it, and a second run completes",
    { timeout: 180_000 },
    async () => {
      const paths = await files(100);
      const started = performance.now();
      const { code, acknowledged } = await interrupted(paths, () => crash("database"));
      expect(code).not.toBe(0);
      await expect.poll(() => asSuperuser("select 1").catch(() => ""), { timeout: 60_000 }).toBe("1\n");
      const there = await countOf(100);
      expect(there).toBeGreaterThanOrEqual(acknowledged * linesPerFile);
      expect(there % linesPerFile).toBe(0);
      await again(paths, 100);
      countFault({ requests: 0, wrong: 0, lost: 0, recovered: performance.now() - started, longest: 0 });
    },
  );
});
