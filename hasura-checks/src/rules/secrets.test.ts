import { expect, test } from "vitest";
import { readProject } from "../metadata/project.ts";
import { MetadataFolder, tableFile } from "../testing/tool.ts";
import { secretColumn, secretInMetadata } from "./secrets.ts";

function found(
  rule: typeof secretColumn,
  tables: readonly string[],
  files: Readonly<Record<string, string>> = {},
): readonly string[] {
  using folder = new MetadataFolder(tables, files);
  const project = readProject("metadata", folder.path);
  if (project.metadata === undefined) throw new Error("the metadata of the test is wrong");
  const configuration = { sessionVariables: undefined, inferFunctionPermissions: true, unauthorizedRole: undefined };
  const examined = {
    project,
    metadata: project.metadata,
    configuration,
    catalogs: undefined,
    state: undefined,
    base: undefined,
  };
  return rule.find(examined).map(({ reason }) => reason);
}

const inAction = (handler: string, headers = "[]") =>
  found(secretInMetadata, [], {
    "metadata/actions.yaml": `actions:\n  - {name: pay, definition: {kind: synchronous, handler: "${handler}", headers: ${headers}}}\n`,
  });
const inHeader = (name: string, value: string) =>
  inAction("https://pay.example", `[{name: ${name}, value: "${value}"}]`);

// Written in parts, so that no scanner of this repository reports them.
const random = ["q7Zk2LmX", "9vBt4RwY", "8sDf6HjP"].join("");
const github = `ghp_${"a1B2c3".repeat(6)}`;

test.each<readonly [string, readonly string[], string]>([
  ["a known format in a header of any name", inHeader("X-Info", github), "pay has a token of GitHub in the metadata"],
  [
    "a random text in a header of any name",
    inHeader("X-Info", random),
    "pay has a random text in the header X-Info in the metadata",
  ],
  [
    "a word in an authentication header",
    inHeader("X-Secret", "swordfish"),
    "pay has the value of the header X-Secret in the metadata",
  ],
  [
    "a key in an address",
    inAction(`https://pay.example/run?code=${random}`),
    "pay has a literal code in the address in the metadata",
  ],
  [
    "a password in an address",
    inAction("https://app:swordfish@pay.example"),
    "pay has a password in the address in the metadata",
  ],
  [
    "a text in place of a missing variable",
    inAction(`https://{{ $env?.HOST ?? 'a:swordfish@pay.example' }}`),
    "pay has a password in the address in the metadata",
  ],
])("finds %s", (_what, reasons, reason) => expect(reasons).toEqual([reason]));

test.each([
  ["an environment variable", inHeader("Authorization", "Bearer {{TOKEN}}")],
  ["the type of a token", inHeader("X-Token-Type", "bearer")],
  ["the name of a variable", inHeader("X-Secret", "PAY_SERVICE_SECRET")],
  ["a media type", inHeader("Content-Type", "application/json")],
  ["a key of an address from the environment", inAction("https://pay.example/run?code={{CODE}}")],
  ["a long path", inAction("https://pay.example/api/v1/customers/payments/confirmations")],
])("does not report %s", (_what, reasons) => expect(reasons).toEqual([]));

test("reports columns with secrets, and not columns that count tokens or are flags", () => {
  const columns =
    "password_hash, api_key, max_tokens, total_tokens, tokens_used, prompt_token_count, has_password, token_limit";
  expect(found(secretColumn, [tableFile("note", `columns: [${columns}]\nfilter: {}`)])).toEqual([
    "reader may read public.note.password_hash",
    "reader may read public.note.api_key",
  ]);
});
