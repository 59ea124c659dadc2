import { expect, test } from "vitest";
import { flushNotice } from "./archive.ts";

test("a restore over a new database does not advise that restore", () => {
  const line =
    "archive: check failed: the archive belongs to another database. Restore from it (npm run restore -- --latest), or set another ARCHIVE_DIRECTORY.";
  expect(flushNotice([line])).toBe(
    "The current database is new and has no change in the archive. The restore replaces it.",
  );
});

test("a restore names the reason why the newest changes may be missing", () => {
  expect(flushNotice(["archive: check failed: the disk of the archive is full."])).toBe(
    "The newest changes may be missing in the archive:\n  archive: check failed: the disk of the archive is full.",
  );
});
