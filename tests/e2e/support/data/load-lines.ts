import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { command } from "../commands.ts";

/** Loads lines in `bgpdump -m` form. */
export async function loadLines(lines: readonly string[]): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "routeql-e2e-"));
  try {
    const file = join(folder, "updates.e2e.bgpdump");
    await writeFile(file, `${lines.join("\n")}\n`);
    return await command("load", file);
  } finally {
    await rm(folder, { recursive: true });
  }
}
