import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { modeWarnings } from "./file-modes.ts";

test("secrets that other users can read cause a warning, e.g. on a file system without modes", async () => {
  const folder = await mkdtemp(join(tmpdir(), "routeql-modes-"));
  const file = join(folder, "access.env");
  await writeFile(file, "");
  await chmod(file, 0o777);
  expect(await modeWarnings(file)).toEqual([expect.stringContaining(`Other users can read ${file}`)]);
  await chmod(file, 0o600);
  expect(await modeWarnings(file)).toEqual([]);
  await rm(folder, { recursive: true });
});
