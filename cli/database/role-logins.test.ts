import { expect, test } from "vitest";
import { sessionSettings } from "@routeql/database/migrate/roles";
import { databaseRoles } from "../pulumi/outputs.ts";
import { settingsProblem } from "./role-logins.ts";

const rows = (settings: readonly string[]) => settings.map((setting) => ({ general: true, setting }));
const engine = sessionSettings("engine", false);

test("accepts the settings of the migrate job, with and without those of a superuser", () => {
  expect(settingsProblem("engine", false, rows(engine.all))).toBeUndefined();
  expect(settingsProblem("engine", false, rows([...engine.all, ...engine.ofSuperuser].toReversed()))).toBeUndefined();
  expect(settingsProblem("engine", true, rows(sessionSettings("engine", true).all))).toBeUndefined();
  // Only running services have a second login.
  expect(sessionSettings("owner", true)).toEqual(sessionSettings("owner", false));
});

test.each([
  [
    "changed",
    engine.all.map((text) => text.replace("statement_timeout=30s", "statement_timeout=1")),
    "statement_timeout",
  ],
  ["added", [...engine.all, "default_transaction_isolation=serializable"], "default_transaction_isolation"],
  ["removed", engine.all.slice(1), engine.all[0]!.split("=")[0]],
])("names a %s setting", (_what, settings, name) => {
  expect(settingsProblem("engine", false, rows(settings))).toBe(`has changed settings (${name})`);
});

test("the roles of the exporter and the feed are checked too", () => {
  expect(databaseRoles).toEqual(expect.arrayContaining(["engine", "monitor", "feed"]));
  for (const role of ["monitor", "feed"] as const)
    expect(settingsProblem(role, false, rows(sessionSettings(role, false).all))).toBeUndefined();
});

test("names a setting of one database, which comes before the others", () => {
  const inDatabase = { general: false, setting: engine.all[0]! };
  expect(settingsProblem("engine", false, [...rows(engine.all), inDatabase])).toContain("has changed settings");
});
