import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { programs } from "./pins.ts";
import { archiveProblems, raiseArchive, readFormula } from "./pulumi-archive.ts";

const hash = (digit: string): string => digit.repeat(64);

/** The form of the published formula: one block for each platform, the architecture of which stands in the address. */
const formula = (version: string, platforms: Readonly<Record<string, string>>): string =>
  [
    "class Pulumi < Formula",
    `  version "${version}"`,
    ...Object.entries(platforms).flatMap(([platform, digit]) => [
      "    if Hardware::CPU.intel?",
      `      url "https://releases.example/v${version}/pulumi-v${version}-${platform}.tar.gz"`,
      `      sha256 "${hash(digit)}"`,
      "    end",
    ]),
    "end",
  ].join("\n");

test("reads the version and the hashes of all platforms from the formula", () => {
  expect(readFormula(formula("3.300.1", { "darwin-arm64": "a", "linux-arm64": "b", "linux-x64": "c" }))).toEqual({
    version: "3.300.1",
    sha256: { "darwin-arm64": hash("a"), "linux-arm64": hash("b"), "linux-x64": hash("c") },
  });
});

test.each([
  ["without a platform", formula("3.300.1", { "linux-x64": "c" })],
  ["of a site's error page", "<html>Not found</html>"],
  [
    "with archives of another version",
    formula("3.300.1", { "linux-x64": "c", "linux-arm64": "b" }).replace("3.300.1", "3.301.0"),
  ],
])("rejects a text %s", (_, text) => {
  expect(() => readFormula(text)).toThrow("Was its form changed?");
});

const pinned = { version: "3.259.0", sha256: { "linux-x64": hash("a"), "linux-arm64": hash("b") } };

test("reports a newer release, and no older one", () => {
  expect(archiveProblems(pinned, { ...pinned, version: "3.260.0" })).toEqual([
    "Pulumi CLI, release archive 3.259.0: 3.260.0 is published. Run npm run pins -- --raise",
  ]);
  expect(archiveProblems(pinned, { ...pinned, version: "3.258.9" })).toEqual([]);
  expect(archiveProblems(pinned, pinned)).toEqual([]);
});

test("reports another hash of the same version", () => {
  const published = { ...pinned, sha256: { ...pinned.sha256, "linux-arm64": hash("c") } };
  expect(archiveProblems(pinned, published)).toEqual([
    expect.stringMatching(/for linux-arm64: the published SHA-256 differs/),
  ]);
});

test("raises version, hashes and dates of the archive, and nothing else", () => {
  const source = readFileSync(join(import.meta.dirname, "pins.ts"), "utf8");
  const published = {
    version: "3.300.1",
    released: "2027-01-02",
    sha256: { "linux-x64": hash("c"), "linux-arm64": hash("d"), "darwin-x64": hash("e") },
  };
  const raised = raiseArchive(source, published, "2027-01-03");
  const before = source.split("\n");
  const changed = raised.split("\n").filter((line, index) => line !== before[index]);
  expect(changed.map((line) => line.trim())).toEqual([
    'version: "3.300.1",',
    'released: "2027-01-02",',
    'reviewed: "2027-01-03",',
    `"linux-x64": "${hash("c")}",`,
    `"linux-arm64": "${hash("d")}",`,
  ]);
  expect(raiseArchive(source, programs.pulumiArchive, programs.pulumiArchive.reviewed)).toBe(source);
});
