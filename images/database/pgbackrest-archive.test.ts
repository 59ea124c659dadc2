import { execFile } from "node:child_process";
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
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
  program("pgbackrest", 'printf %s "$OUTPUT"; echo "ERROR: [$CODE]: $TEXT" >&2; exit "$CODE"');
  // The schedule touches a file of its container, and sleeps until it is stopped.
  program("touch", "");
  program("sleep", "kill -TERM $PPID");
  program("df", 'echo "Avail IFree Inodes"; echo "$SPACE"');
});
afterAll(() => rmSync(folder, { recursive: true }));

/** Both outputs. */
async function outputOf(command: string, more: Readonly<Record<string, string>>): Promise<string> {
  const environment = {
    PATH: `${folder}:${process.env["PATH"]}`,
    ARCHIVE_KEY_FILE: join(folder, "key"),
    PGBACKREST_REPO1_PATH: folder,
    PGBACKREST_PG1_SOCKET_PATH: folder,
    PGBACKREST_REPO1_TYPE: "posix",
    SPACE: "900 900 1000",
    TEXT: "unable to end the request",
    OUTPUT: "",
    ...more,
  };
  const { stdout, stderr } = await run("bash", [script, ...command.split(" ")], { env: environment }).catch(
    (error: unknown) => error as { stdout: string; stderr: string },
  );
  return stdout + stderr;
}

/** @param space free megabytes, free files and all files of the disk */
const causeOf = (code: number, space: string, type = "posix"): Promise<string> =>
  outputOf("info", { CODE: String(code), SPACE: space, PGBACKREST_REPO1_TYPE: type });

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

test.each([55, 75])("names a former place of the archive for a time without a backup, code %d", async (code) => {
  expect(await causeOf(code, "900 900 1000")).toContain(
    "If ARCHIVE_DIRECTORY or BACKUP_DESTINATION changed since then, set the former place",
  );
});

const missing = "[FileMissingError] unable to load info file; HINT: has a stanza-create been performed?";

test("names the lost files of an archive", async () => {
  expect(await outputOf("info", { CODE: "103", TEXT: missing })).toContain("the archive has no files of this database");
});

const mismatch =
  "unable to find a valid repository: repo1: [ArchiveMismatchError] PostgreSQL version 17, system-id 2 do not match repo1 stanza version 17, system-id 1";

test.each([
  ["push pg_wal/000000010000000000000001", "103", mismatch],
  ["schedule", "28", "backup and archive info files exist but do not match the database"],
])("names an archive of another database for `status` when %s fails with %s", async (command, code, text) => {
  const cause = "the archive belongs to another database. Restore from it (npm run restore -- --latest)";
  rmSync(join(folder, "archive-problem"), { force: true });
  expect(await outputOf(command, { CODE: code, TEXT: text })).toContain(`failed: ${cause}`);
  expect(readFileSync(join(folder, "archive-problem"), "utf8")).toContain(cause);
  expect(await outputOf("facts", { CODE: "0" })).toContain(`0\t${cause}`);
  rmSync(join(folder, "archive-problem"));
});

test.each([
  [1, "missing stanza path", "the archive has no files of this database"],
  [99, missing, "the archive has no files of this database"],
  [99, "[PathOpenError] unable to list file info: [13] Permission denied", "may not write the archive directory"],
  [
    99,
    "[CryptoError] cipher header invalid HINT: has a stanza-create been performed?",
    "cannot be decrypted or is damaged",
  ],
  [99, "[HostConnectError] timeout", "the archive directory cannot be written: [HostConnectError] timeout"],
])("names an archive of the state %d for `status` before a change needs it: %s", async (code, message, cause) => {
  const info = `[{"backup":[],"repo":[{"key":1,"status":{"code":${code},"message":"${message}"}}],"status":{"code":${code}}}]`;
  expect(await outputOf("facts", { CODE: "0", OUTPUT: info })).toMatch(
    new RegExp(`^0\t.*${RegExp.escape(cause)}`, "m"),
  );
});

test.each([0, 2])("finds no problem in an archive of the state %d", async (code) => {
  const info = `[{"backup":[],"repo":[{"key":1,"status":{"code":${code},"message":"ok"}}]}]`;
  expect(await outputOf("facts", { CODE: "0", OUTPUT: info })).toMatch(/^0\t$/m);
});
