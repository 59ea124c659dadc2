import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { MetadataFolder, routeql, tableFile } from "../testing/tool.ts";

const variables = Array.from({ length: 12 }, (_none, index) => `x-hasura-a-long-session-variable-${index + 10}`);

test("writes a configuration that lint reads, also with many session variables", async () => {
  const filter = `filter: {_and: [${variables.map((name) => `{owner: ${name}}`).join(", ")}]}`;
  using folder = new MetadataFolder([tableFile("note", `columns: [id]\n${filter}\nlimit: 10`)]);
  expect(await routeql(folder.path, ["init"])).toMatchObject({ code: 0, stderr: "" });
  expect(parse(readFileSync(join(folder.path, "hasura-checks.yaml"), "utf8"))).toEqual({
    metadata: "metadata",
    sessionVariables: variables,
    inferFunctionPermissions: true,
  });
  expect(await routeql(folder.path, ["lint"])).toMatchObject({ code: 0, stderr: "" });
});
