import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { SettingsError } from "./error.ts";
import { settingsSources } from "./sources.ts";

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "routeql-settings-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

const sources = (configuration: Record<string, string>, variables: Record<string, string> = {}) =>
  settingsSources({ stack: "staging", project: "routeql", configuration, folder, variables });

test("reads only the project's section of the configuration", () => {
  expect(sources({ "routeql:httpPort": "80", "docker:host": "unix:///run/docker.sock" }).configuration).toEqual({
    httpPort: "80",
  });
});

test("without .env there is no environment file, and an empty name is ignored", () => {
  expect(sources({}).environmentFile).toBeUndefined();
  expect(sources({ "routeql:environmentFile": "" }, { ROUTEQL_ENVIRONMENT_FILE: "" }).environmentFile).toBeUndefined();
});

test(".env in the project's folder is read", () => {
  writeFileSync(join(folder, ".env"), "HTTP_PORT=80");
  expect(sources({}).environmentFile).toEqual({ name: ".env", content: "HTTP_PORT=80" });
});

test("the configuration's file overrides the variable's", () => {
  writeFileSync(join(folder, "one.env"), "HTTP_PORT=1");
  writeFileSync(join(folder, "two.env"), "HTTP_PORT=2");
  const variables = { ROUTEQL_ENVIRONMENT_FILE: join(folder, "two.env") };
  expect(sources({}, variables).environmentFile?.content).toBe("HTTP_PORT=2");
  const configured = sources({ "routeql:environmentFile": "one.env" }, variables);
  expect(configured.environmentFile).toEqual({ name: "one.env", content: "HTTP_PORT=1" });
  expect(configured.configuration).toEqual({});
});

test("a named file that is missing is an error", () => {
  expect(() => sources({ "routeql:environmentFile": "none.env" })).toThrow(SettingsError);
  expect(() => sources({ "routeql:environmentFile": "none.env" })).toThrow(
    /environmentFile cannot be read \(ENOENT\) \(none.env\)/,
  );
});
