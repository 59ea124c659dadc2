import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { expect, onTestFinished, test } from "vitest";
import { optionTakenByNpm, readArguments, UsageError } from "./command-line.ts";

const help =
  "npm run down [-- OPTIONS]\n\n  --dry-run     only list\n  --stack NAME  the stack (local)\n  -h, --help    this text\n";

test.each([
  ["npm run down --stack=site", { npm_config_stack: "site" }, "stack"],
  ["npm run down --dry-run", { npm_config_dry_run: "true" }, "dry-run"],
  ["npm run down --role viewer", { npm_config_role: "true" }, "role"],
  ["npm run down --json", { npm_config_json: "true" }, "json"],
  ["npm run down -- --stack site", { npm_config_cache: "/root/.npm", npm_config_help: "" }, undefined],
  ["a program without npm", {}, undefined],
])("finds the option that npm took from `%s`", (_, environment, name) => {
  expect(optionTakenByNpm(help, environment)?.name).toBe(name);
});

test("names the command as it must be typed", () => {
  const environment = { npm_config_stack: "site", npm_lifecycle_event: "down" };
  expect(optionTakenByNpm(help, environment)?.remedy).toBe("write `--` before the options: npm run down -- --stack …");
});

test("leaves out settings of npm's configuration files", () => {
  const folder = mkdtempSync(join(tmpdir(), "routeql-npm-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, ".npmrc");
  writeFileSync(file, "fund=false\njson = true\n  dry-run\n");
  const environment = { npm_config_json: "true", npm_config_dry_run: "true" };
  for (const place of [
    { npm_config_userconfig: file },
    { npm_config_globalconfig: file },
    { npm_config_local_prefix: folder },
  ])
    expect(optionTakenByNpm(help, { ...environment, ...place })).toBeUndefined();
  expect(optionTakenByNpm(help, { npm_config_userconfig: file, npm_config_stack: "site" })?.name).toBe("stack");
});

test.each([
  [new UsageError("there is no FILE"), "there is no FILE"],
  [
    Object.assign(new TypeError("Unknown option '--x'. To specify a positional, use '-- --x'"), { code: "ERR" }),
    "Unknown option '--x'",
  ],
])("prints the problem of invalid arguments and the command for the help: %s", (error, problem) => {
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  const fails = (): never => {
    throw error;
  };
  expect(readArguments(help, fails, { stdout, stderr })).toBe(2);
  expect(String(stderr.read())).toBe(
    `\nFailed: down: ${problem}\n\nWhat to do: \`npm run down -- --help\` lists its options.\n`,
  );
});
