import { expect, test } from "vitest";
import { parse } from "yaml";
import { settingNames, settings } from "../list.ts";
import { parseEnvironmentFile } from "../reading/environment-file.ts";
import { exampleFile, projectFile } from "./files.ts";

test("the example file sets nothing, and each of its lines is a valid assignment", () => {
  expect(parseEnvironmentFile(exampleFile()).entries).toEqual([]);
  const uncommented = exampleFile().replaceAll(/^#(?=[A-Z])/gm, "");
  expect(parseEnvironmentFile(uncommented).entries.map(({ name }) => name)).toEqual(
    settingNames.map((name) => settings[name].environment),
  );
});

test("Pulumi.yaml lists every setting without a value", () => {
  const { config } = parse(projectFile()) as { config: Record<string, { default: string }> };
  expect(Object.keys(config)).toEqual(settingNames);
  expect(Object.values(config).every((entry) => entry.default === "")).toBe(true);
});
