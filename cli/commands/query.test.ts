import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { queryOf } from "./query.ts";

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "routeql-query-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

const write = (content: Buffer): string => {
  const file = join(folder, "query.graphql");
  writeFileSync(file, content);
  return file;
};

test("reads a query with a byte order mark and Windows' line ends", () => {
  expect(queryOf(write(Buffer.from("\uFEFF{\r\n  __typename\r\n}\r\n")))).toBe("{\n  __typename\n}\n");
});

test("says that a query is in UTF-16", () => {
  const file = write(Buffer.from("\uFEFF{ __typename }", "utf16le"));
  expect(() => queryOf(file)).toThrow(`The file of --file, ${file}, is UTF-16. Save it as UTF-8`);
});

test("says that the file of a query is missing", () => {
  const file = join(folder, "absent.graphql");
  expect(() => queryOf(file)).toThrow(`The file of --file, ${file}, cannot be read: there is no such file`);
});
