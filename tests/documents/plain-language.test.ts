import { globSync, readFileSync } from "node:fs";
import { join, posix, resolve } from "node:path";
import { describe, expect, test } from "vitest";
import { type Finding, jargonIn, messageFindings, pageFindings, sourceFindings } from "./plain-language.ts";

const repository = resolve(import.meta.dirname, "../..");
const outside = new Set(["node_modules", ".tools", ".routeql", ".git", ".vitepress", "dist", "results"]);

const files = (pattern: string): string[] =>
  globSync(pattern, { cwd: repository, exclude: (path) => outside.has(posix.basename(path)) })
    .filter((path) => !path.startsWith("tests/documents/plain-language"))
    .toSorted();

const listed = (path: string, findings: readonly Finding[]): string[] =>
  findings.map(({ line, problem }) => `${path}:${line}: ${problem}`);

describe("the check", () => {
  test.each(["whoever reads it", "it gives up", "the rules it is held to", "made anew", "the metadata are applied"])(
    "finds jargon in '%s'",
    (text) => {
      expect(jargonIn(text)).toHaveLength(1);
    },
  );

  test("finds a long title and jargon in a comment, and ignores code", () => {
    const source = ['test("' + "x".repeat(91) + '", () => {', "  // nobody waits", "  const nobody = 1;"].join("\n");
    expect(sourceFindings(source).map(({ line }) => line)).toEqual([1, 2]);
  });

  test("finds jargon in messages, and ignores comments, code in backticks and short strings", () => {
    const source = [
      'throw new Error("the command gives up now");',
      "const help = `it is \\`made anew\\` here, and made anew`;",
      '// "the command gives up now"',
      'const key = "goes on to";',
    ].join("\n");
    expect(messageFindings(source).map(({ line }) => line)).toEqual([1, 2]);
  });

  test("finds a long comment line, and ignores a long text", () => {
    const source = [`// ${"x".repeat(158)}`, ` * ${"x".repeat(157)}`, `const text = "${"x".repeat(200)}";`].join("\n");
    expect(sourceFindings(source)).toEqual([{ line: 1, problem: "a comment line of 161 characters; at most 160" }]);
  });

  test("finds a long title on the line after its call", () => {
    const title = `  "${"x".repeat(91)}",`;
    expect(sourceFindings(["test(", title, "])(", title, "other(", title].join("\n")).map(({ line }) => line)).toEqual([
      2, 4,
    ]);
  });

  test("finds a long sentence and a long line of a page, and ignores tables and code", () => {
    const words = Array.from({ length: 60 }, () => "word").join("\n");
    const page = [`${words}.`, "", "```", "x".repeat(300), "```", `| ${"x".repeat(300)} |`, "", "x".repeat(201)].join(
      "\n",
    );
    expect(pageFindings(page).map(({ problem }) => problem)).toEqual([
      "a line of 201 characters; at most 200",
      "a sentence of 60 words; at most 50",
    ]);
  });
});

test("pages follow the plain-language rules", () => {
  const pages = files("**/*.md");
  expect(pages.length).toBeGreaterThan(40);
  expect(pages.flatMap((path) => listed(path, pageFindings(readFileSync(join(repository, path), "utf8"))))).toEqual([]);
});

test("messages follow the plain-language rules", () => {
  const sources = files("**/*.{ts,tsx,mjs}").filter((path) => !/\.test\.ts$|^(tests|bench)\/|\/testing\//.test(path));
  expect(sources.length).toBeGreaterThan(300);
  expect(
    sources.flatMap((path) => listed(path, messageFindings(readFileSync(join(repository, path), "utf8")))),
  ).toEqual([]);
});

test("comments and test titles follow the plain-language rules", () => {
  const sources = files("**/*.{ts,tsx,mjs}");
  expect(sources.length).toBeGreaterThan(500);
  expect(sources.flatMap((path) => listed(path, sourceFindings(readFileSync(join(repository, path), "utf8"))))).toEqual(
    [],
  );
});
