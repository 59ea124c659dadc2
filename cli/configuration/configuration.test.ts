import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { fromFile } from "./configuration.ts";

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "routeql-configuration-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

const read = (text: string): Record<string, string> => {
  writeFileSync(join(folder, "Pulumi.own.yaml"), text);
  return fromFile("own", folder);
};

test("reads the settings of a stack as Pulumi does: merge keys, and the numbers of yaml.v3", () => {
  const text = `\uFEFFshared: &shared
  routeql:publicHost: routes.example.net
config:
  <<: *shared
  routeql:httpsPort: 8_443
  routeql:monitoring: true
`;
  expect(read(text.replaceAll("\n", "\r\n"))).toEqual({
    "routeql:publicHost": "routes.example.net",
    "routeql:httpsPort": "8443",
    "routeql:monitoring": "true",
  });
});

test.each([
  ["", "an empty file"],
  ["config:\n", "a file without settings"],
])("reads %j as %s", (text) => {
  expect(read(text)).toEqual({});
});

test("reads a structured value as JSON, as Pulumi gives it to a program", () => {
  expect(read("config:\n  routeql:pods:\n    all: { labels: { team: a } }\n")).toEqual({
    "routeql:pods": '{"all":{"labels":{"team":"a"}}}',
  });
});

test("does not give a setting without a value", () => {
  expect(read("config:\n  routeql:publicHost:\n  routeql:adminEmail: ~\n")).toEqual({
    "routeql:publicHost": "",
    "routeql:adminEmail": "",
  });
});

test.each(["07123", "0528", "2.50", "5e3", "0x1F"])("refuses the number %s, whose text changes", (written) => {
  expect(() => read(`config:\n  routeql:word: ${written}\n`)).toThrow(
    /^Pulumi\.own\.yaml:2: routeql:word is a number whose text YAML changes, such as 0123 or 1\.10$/,
  );
  expect(read(`config:\n  routeql:word: "${written}"\n`)).toEqual({ "routeql:word": written });
});

test.each([
  ["config:\n  httpsPort: 443\n", "Pulumi.own.yaml:2: httpsPort has no namespace", "write routeql:httpsPort."],
  ["config: [a]\n", "Pulumi.own.yaml:1: config is no mapping", "write one line for each setting"],
  ["- routeql:httpsPort: 443\n", "Pulumi.own.yaml:1: the file is no mapping", "write the settings below config:."],
])("refuses %j, of which Pulumi reads no setting", (text, message, remedy) => {
  expect(() => read(text)).toThrow(message);
  expect(() => read(text)).toThrow(expect.objectContaining({ remedy: expect.stringContaining(remedy) as string }));
});

test("reads a stack without a file as one without settings", () => {
  expect(fromFile("absent", folder)).toEqual({});
});

test.each([
  ["config:\n  routeql:httpsPort: 1\n  routeql:httpsPort: 2\n", "Pulumi.own.yaml:3 is not readable: the key"],
  ["config:\n  routeql:word: 90071992547409931\n", "Pulumi.own.yaml:2 is not readable: a number has more digits"],
  ["config:\n  routeql:publicHost: [\n", "Pulumi.own.yaml:3 is not readable: "],
  ["config:\n  routeql:word: { secure: AAAB }\n", "Pulumi.own.yaml: routeql:word is encrypted"],
  ["config:\n  routeql:pods: { a: [{ secure: AAAB }] }\n", "routeql:pods is encrypted"],
])("names the line of a wrong file: %j", (text, message) => {
  expect(() => read(text)).toThrow(message);
});
