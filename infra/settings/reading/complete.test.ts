import { expect, test } from "vitest";
import { contradictions, withDefaults } from "./complete.ts";
import { type GivenSettings, settingNames, settings } from "../list.ts";
import { checkValue } from "./parse.ts";
import type { Setting } from "../values/setting.ts";

test("the console is off by default, except in the stack local", () => {
  expect(withDefaults({}, "prod").engineConsole).toBe(false);
  expect(withDefaults({}, "local").engineConsole).toBe(true);
  expect(withDefaults({ engineConsole: false }, "local").engineConsole).toBe(false);
});

test("keeps a given value and contains no secrets", () => {
  const complete = withDefaults({ httpPort: 8080, engineAccessKey: "secret" }, "local");
  expect(complete.httpPort).toBe(8080);
  expect(complete).not.toHaveProperty("engineAccessKey");
});

test.each(settingNames.filter((name) => (settings[name] as Setting).default !== undefined))(
  "the default of %s passes its own check",
  (name) => {
    expect(checkValue(name, (settings[name] as Setting).default)).toBeUndefined();
  },
);

test("refuses a bucket that pgBackRest rejects; CloudNativePG accepts it", () => {
  const login = {
    backupAccessKeyId: "an-id",
    backupSecretAccessKey: "a-key",
    backupDestination: "s3://my.backups/a.b",
  };
  const reasons = (given: GivenSettings): string[] => contradictions(given, "site").map(({ problem }) => problem);
  expect(reasons({ ...login, target: "docker" })).toEqual([
    "has a bucket with a dot in its name, which pgBackRest rejects; use one without dots",
  ]);
  expect(reasons({ ...login, target: "docker", backupDestination: "s3://backups/a.b" })).toEqual([]);
  expect(reasons({ ...login, target: "kubernetes", database: "cloudnative-pg" })).toEqual([]);
});
