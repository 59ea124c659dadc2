import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { jwtSettingsSchema } from "@routeql/engine/auth/jwt-settings";
import { afterEach, beforeEach, expect, test } from "vitest";
import { readTree, tokenCheck } from "./metadata-files.ts";

test("verifies tokens by key set, issuer and audience, with the clock tolerance of the settings", () => {
  expect(jwtSettingsSchema.parse(JSON.parse(tokenCheck({ tokenClockToleranceSeconds: 30 }) as string))).toMatchObject({
    jwk_url: "http://auth-sidecar:8080/jwks",
    issuer: "routeql",
    audience: "routeql",
    allowed_skew: 30,
  });
});

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "routeql-tree-"));
  mkdirSync(join(folder, "b/c"), { recursive: true });
  for (const path of ["z.yaml", "b/c/a.yaml", "b/readme.md"]) writeFileSync(join(folder, path), `text of ${path}`);
});
afterEach(() => rmSync(folder, { recursive: true }));

test("reads files with the given endings from all folders, sorted", () => {
  expect(Object.entries(readTree(folder, "metadata", [".yaml"]))).toEqual([
    ["metadata/b/c/a.yaml", "text of b/c/a.yaml"],
    ["metadata/z.yaml", "text of z.yaml"],
  ]);
});

test("rejects a missing folder and a folder without such a file", () => {
  expect(() => readTree(folder, "metadata", [".json"])).toThrow(/There is no file \*\.json/);
  expect(() => readTree(join(folder, "none"), "metadata", [".yaml"])).toThrow(/ENOENT/);
});
