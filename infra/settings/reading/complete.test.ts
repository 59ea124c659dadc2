import { expect, test } from "vitest";
import { withDefaults } from "./complete.ts";
import { settingNames, settings } from "../list.ts";
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
