import { execFile } from "node:child_process";
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";

const run = promisify(execFile);
const script = join(import.meta.dirname, "pgbackrest-archive.sh");
let folder = "";

function program(name: string, text: string): void {
  writeFileSync(join(folder, name), `#!/bin/bash\n${text}\n`);
  chmodSync(join(folder, name), 0o755);
}

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "routeql-archive-"));
  writeFileSync(join(folder, "key"), "a key");
  program("pgbackrest", 'echo "ERROR: [$CODE]: unable to end the request" >&2; exit "$CODE"');
  program("df", 'echo "Avail IFree Inodes"; echo "$SPACE"');
});
afterAll(() => rmSync(folder, { recursive: true }));

/** @param space free megabytes, free files and all files of the disk */
async function causeOf(code: number, space: string, type = "posix"): Promise<string> {
  const environment = {
    PATH: `${folder}:${process.env["PATH"]}`,
    ARCHIVE_KEY_FILE: join(folder, "key"),
    PGBACKREST_REPO1_PATH: folder,
    PGBACKREST_REPO1_TYPE: type,
    CODE: String(code),
    SPACE: space,
  };
  return run("bash", [script, "info"], { env: environment }).then(
    () => "",
    (error: unknown) => (error as { stderr: string }).stderr,
  );
}

test.each([
  [25, "3 900 1000"],
  [41, "0 900 1000"],
  [82, "15 900 1000"],
  [104, "900 0 1000"],
])("names the full disk for code %d of pgBackRest, whose text does not", async (code, space) => {
  expect(await causeOf(code, space)).toContain(
    "archive: info failed: the disk of the archive is full. Free space on it",
  );
});

test("names another cause beside a full disk, and on a disk with space", async () => {
  expect(await causeOf(28, "0 0 1000")).toContain("belongs to another database");
  expect(await causeOf(29, "0 0 1000")).toContain("cannot be decrypted");
  // Btrfs has no number of files.
  expect(await causeOf(25, "900 0 0")).toContain("pgBackRest ended with 25: [25]: unable to end the request");
  expect(await causeOf(25, "0 0 1000", "s3")).toContain("pgBackRest ended with 25");
});
