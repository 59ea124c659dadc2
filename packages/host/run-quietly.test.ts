import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { expect, test } from "vitest";

const run = join(import.meta.dirname, "run-quietly.mjs");

test("a signal to the command ends the programs that npm has started", { timeout: 60_000 }, async () => {
  const script = `
    import { runQuietly } from ${JSON.stringify(run)};
    const said = runQuietly("sh", ["-c", ${JSON.stringify(`sleep 600 & echo $! > "$0"; wait`)}, process.argv[1]]);
    console.log("started");
    await said.catch((error) => { console.log(error.message); process.exitCode = error.exitCode; });`;
  const { mkdtemp, readFile, rm } = await import("node:fs/promises");
  const folder = await mkdtemp("/tmp/routeql-signals-");
  try {
    const child = spawn(process.execPath, ["--input-type=module", "--eval", script, join(folder, "id")], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    let said = "";
    child.stdout.on("data", (chunk) => (said += String(chunk)));
    await expect.poll(() => readFile(join(folder, "id"), "utf8").catch(() => ""), { timeout: 20_000 }).toMatch(/\d/);
    const id = Number(await readFile(join(folder, "id"), "utf8"));
    child.kill("SIGTERM");
    const [code] = (await once(child, "close")) as [number];
    expect(code).toBe(143);
    expect(said).toContain("Interrupted");
    await expect.poll(() => isAlive(id), { timeout: 20_000 }).toBe(false);
  } finally {
    await rm(folder, { recursive: true });
  }
});

function isAlive(id: number): boolean {
  try {
    return process.kill(id, 0);
  } catch {
    return false;
  }
}
