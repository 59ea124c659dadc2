import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { parse } from "yaml";
import { writeSettings } from "./rotation.ts";

const folder = mkdtempSync(join(tmpdir(), "routeql-rotation-"));
const file = join(folder, "Pulumi.local.yaml");
afterAll(() => rmSync(folder, { recursive: true }));

test.each(["config:\n", "config: # later\n", "config: null\n", "# Of the team.\n", ""])(
  "writes into %j",
  async (text) => {
    writeFileSync(file, text);
    await writeSettings(file, { serviceApiKeyGeneration: 2 });
    expect(parse(readFileSync(file, "utf8"))).toEqual({ config: { "routeql:serviceApiKeyGeneration": 2 } });
  },
);

test("refuses a section that is an alias, and keeps the file", async () => {
  const text = "own: &own {}\nconfig: *own\n";
  writeFileSync(file, text);
  await expect(writeSettings(file, { serviceApiKeyGeneration: 2 })).rejects.toThrow("config is an alias");
  expect(readFileSync(file, "utf8")).toBe(text);
});

test("keeps comments and other settings, and quotes a time", async () => {
  writeFileSync(file, "# Of the team.\nconfig: {}\n");
  await writeSettings(file, { serviceApiKeyGeneration: 2, previousServiceApiKeyUntil: "2026-01-02T00:00:00.000Z" });
  await writeSettings(file, { serviceApiKeyGeneration: 3 });
  const text = readFileSync(file, "utf8");
  expect(text).toContain("# Of the team.");
  expect(text).toContain('"2026-01-02T00:00:00.000Z"');
  expect(parse(text)).toEqual({
    config: { "routeql:serviceApiKeyGeneration": 3, "routeql:previousServiceApiKeyUntil": "2026-01-02T00:00:00.000Z" },
  });
});
