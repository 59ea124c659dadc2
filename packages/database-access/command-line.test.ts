import { expect, test } from "vitest";
import { optionTakenByNpm } from "./command-line.ts";

const help =
  "npm run down [-- OPTIONS]\n\n  --dry-run     only list\n  --stack NAME  the stack (local)\n  -h, --help    this text\n";

test.each([
  ["npm run down --stack=site", { npm_config_stack: "site" }, "stack"],
  ["npm run down --dry-run", { npm_config_dry_run: "true" }, "dry-run"],
  ["npm run down -- --stack site", { npm_config_cache: "/root/.npm", npm_config_help: "" }, undefined],
  ["a program without npm", {}, undefined],
])("finds the option that npm took from `%s`", (_, environment, name) => {
  expect(optionTakenByNpm(help, environment)?.name).toBe(name);
});

test("names the command as it must be typed", () => {
  const environment = { npm_config_stack: "site", npm_lifecycle_event: "down" };
  expect(optionTakenByNpm(help, environment)?.remedy).toBe("write `--` before the options: npm run down -- --stack …");
});
