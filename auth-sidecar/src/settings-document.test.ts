import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { renderSettingsTable } from "./settings-document.ts";

test("the README lists every setting as declared", () => {
  const readme = readFileSync(new URL("../README.md", import.meta.url), "utf8");
  expect(readme).toContain(`<!-- settings -->\n${renderSettingsTable()}\n<!-- /settings -->`);
});
