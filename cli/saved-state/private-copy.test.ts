import { existsSync } from "node:fs";
import { mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { privateCopyOf } from "./private-copy.ts";

test("keeps the content of a file that changes later, in a private folder, and deletes it", async () => {
  const folder = await mkdtemp(join(tmpdir(), "routeql-copied-"));
  try {
    const file = join(folder, "backup.tar");
    await writeFile(file, "authentic");
    let path: string;
    {
      await using copy = await privateCopyOf(file);
      ({ path } = copy);
      await writeFile(file, "changed");
      expect(await readFile(path, "utf8")).toBe("authentic");
      expect((await stat(dirname(path))).mode & 0o777).toBe(0o700);
    }
    expect(existsSync(dirname(path))).toBe(false);
    await expect(privateCopyOf(join(folder, "none"))).rejects.toThrow("none cannot be copied");
  } finally {
    await rm(folder, { recursive: true });
  }
});
