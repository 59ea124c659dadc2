import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { documentPath, permissionsDocument } from "./document.ts";

test("docs/permissions.md says what the metadata grant; node tests/permissions/document.ts writes it", async () => {
  expect(await readFile(documentPath, "utf8")).toBe(permissionsDocument());
});
