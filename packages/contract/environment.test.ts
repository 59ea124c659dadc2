import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { readVariable, withoutEmpty } from "./environment.ts";

const files: Readonly<Record<string, string>> = {
  "/plain": "text",
  "/line": "text\n",
  "/windows": "text\r\n",
  "/two": "text\n\n",
};
const readFile = (path: string): string => {
  const text = files[path];
  if (text === undefined) throw Object.assign(new Error(path), { code: "ENOENT" });
  return text;
};
const read = (environment: Readonly<Record<string, string>>) => readVariable(environment, "KEY", readFile);

test("gives the variable itself", () => expect(read({ KEY: "text" })).toEqual({ value: "text" }));
test("gives undefined for an absent variable", () => expect(read({ OTHER: "text" })).toEqual({ value: undefined }));
test.each([
  ["/plain", "text"],
  ["/line", "text"],
  ["/windows", "text"],
  ["/two", "text"],
])("reads the file %s without line ends at its end", (path, value) =>
  expect(read({ KEY_FILE: path })).toEqual({ value }),
);
test.each([
  ["a byte order mark and Windows' line ends", Buffer.from("\uFEFFtext\r\n\r\n"), { value: "text" }],
  ["UTF-16", Buffer.from("\uFEFFtext\r\n", "utf16le"), { problem: "KEY_FILE: the file is UTF-16. Save it as UTF-8" }],
])("reads a file with %s as its text, or says what it is", (_, content, expected) => {
  const folder = mkdtempSync(join(tmpdir(), "routeql-environment-"));
  try {
    const file = join(folder, "secret");
    writeFileSync(file, content);
    expect(readVariable({ KEY_FILE: file }, "KEY")).toEqual(expected);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
test("rejects a variable given twice", () =>
  expect(read({ KEY: "text", KEY_FILE: "/plain" })).toEqual({ problem: "KEY: both KEY and KEY_FILE are set" }));
test("names the variable of an unreadable file, not its path", () =>
  expect(read({ KEY_FILE: "/absent" })).toEqual({ problem: "KEY_FILE: the file cannot be read (ENOENT)" }));
test("drops empty variables", () => expect(withoutEmpty({ ONE: "", TWO: "2" })).toEqual({ TWO: "2" }));
