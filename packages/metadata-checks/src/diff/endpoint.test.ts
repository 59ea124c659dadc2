import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { MetadataFolder, sound, tableFile } from "../testing/metadata-folder.ts";
import { routeql } from "../testing/tool.ts";

describe("a secret that no header can carry", () => {
  test.each([
    ["two lines", "sesame\nopen"],
    ["characters that are not Latin", "sesame\u2500"],
    ["a zero byte", "sesame\0"],
  ])("%s: is refused and not quoted", async (_what, secret) => {
    using folder = new MetadataFolder([tableFile("note", sound)]);
    writeFileSync(join(folder.path, "secret"), secret);
    const { code, stderr } = await routeql(folder.path, ["diff", "--endpoint", "https://127.0.0.1:1", "--admin-secret-file", "secret"]);
    expect([code, stderr]).toEqual([2, "hasura-checks diff: no header X-Hasura-Admin-Secret can be made of the admin secret: a header is one line of Latin characters\n"]);
  });
});
