import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { settingNames, settings } from "../list.ts";
import { parseEnvironmentFile } from "../environment-file.ts";
import { exampleFile } from "./example-file.ts";
import { generatedFiles } from "./files.ts";
import { projectFile } from "./project-file.ts";

test.each([...generatedFiles()])(
  "%s is what the list of settings makes it (node infra/settings/generate.ts)",
  (path, content) => {
    expect(readFileSync(resolve(import.meta.dirname, "../../..", path), "utf8")).toBe(content);
  },
);

test("the example file sets nothing, and every line of it could be set", () => {
  expect(parseEnvironmentFile(exampleFile()).entries).toEqual([]);
  const uncommented = exampleFile().replaceAll(/^#(?=[A-Z])/gm, "");
  expect(parseEnvironmentFile(uncommented).entries.map(({ name }) => name)).toEqual(
    settingNames.map((name) => settings[name].environment),
  );
});

test("Pulumi.yaml lists every setting and gives none a value, which would outrank the environment file", () => {
  const { config } = parse(projectFile()) as { config: Record<string, { default: string }> };
  expect(Object.keys(config)).toEqual(settingNames);
  expect(Object.values(config).every((entry) => entry.default === "")).toBe(true);
});
