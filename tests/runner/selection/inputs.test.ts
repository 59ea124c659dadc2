import { existsSync } from "node:fs";
import { join, matchesGlob } from "node:path";
import { expect, test } from "vitest";
import { listedFiles } from "../../boundaries/listed-files.ts";
import { repository } from "../../harness/repository.ts";
import { markedBlocks } from "../../operate/support/pages.ts";
import { suites } from "../suites.ts";
import { importedFiles, importsOf } from "./imports.ts";
import { isNoInput, type SuiteInputs, suiteInputs } from "./inputs.ts";
import { recordsFolder } from "./records.ts";

const files = listedFiles();
const isBelow = (path: string, folders: readonly string[]): boolean =>
  folders.some((folder) => path === folder || path.startsWith(`${folder}/`));
const inputsOf = (name: string): SuiteInputs => suiteInputs[name]!;

test("every suite is in the table, and every input exists", () => {
  expect(Object.keys(suiteInputs).toSorted()).toEqual(suites.map(({ name }) => name).toSorted());
  const named = Object.values(suiteInputs).flatMap(({ inputs, through = [] }) => [...inputs, ...through]);
  expect(named.filter((path) => !existsSync(join(repository, path)))).toEqual([]);
});

test("every file except the records is an input of a suite", () => {
  const all = Object.values(suiteInputs).flatMap(({ inputs }) => inputs);
  expect(files.filter((path) => !isBelow(path, [...all, recordsFolder]))).toEqual([]);
});

test("no record is an input", () => {
  for (const [name, { inputs }] of Object.entries(suiteInputs))
    expect(isBelow(`${recordsFolder}/${name}.json`, inputs), name).toBe(false);
});

test("the pages that the suite operate types are its inputs", () => {
  const pages = [...new Set(Array.from(markedBlocks().values(), ({ page }) => `docs/${page}`))];
  expect(pages.filter((page) => !isBelow(page, inputsOf("operate").inputs))).toEqual([]);
});

const imported = importedFiles();
const walked = suites.filter(({ name, kind }) => kind === "vitest" && inputsOf(name).through !== undefined);

test("every suite that can be left out has its packages in the table", () => {
  const chosen = suites.filter(({ kind, tier, searchesRun }) => kind === "vitest" && tier !== "test" && !searchesRun);
  expect(walked).toEqual(chosen);
});

test.each(walked)("the imports of $name lie inside its inputs or behind a package's exports", ({ name }) => {
  const { inputs, through = [] } = inputsOf(name);
  expect(isBelow(`tests/${name}`, inputs)).toBe(true);
  const code = files.filter((path) => isBelow(path, inputs) && !isNoInput(path) && /\.(ts|tsx|mjs)$/.test(path));
  expect(code.some((path) => path.startsWith(`tests/${name}/`))).toBe(true);
  const imports = code.flatMap((from) => imported(from).map((to) => ({ from, to })));
  const outside = imports.filter(({ to }) => !isBelow(to, inputs));
  expect(outside.filter(({ to }) => !isBelow(to, through))).toEqual([]);
  const unused = through.filter((folder) => !outside.some(({ to }) => isBelow(to, [folder])));
  expect(unused, "packages that the suite does not use").toEqual([]);
});

test("the files that a suite has of another one are its inputs", () => {
  for (const { name, also = [] } of walked) {
    const { inputs } = inputsOf(name);
    const own = files.filter((path) => also.some((pattern) => matchesGlob(path, pattern)));
    expect(
      own.filter((path) => !isBelow(path, inputs)),
      name,
    ).toEqual([]);
  }
});

test.each([
  ['import { one } from "./one.ts";', ["./one.ts"]],
  ['import {\n  one,\n} from "@routeql/host/paths";\nimport "./two.ts";', ["@routeql/host/paths", "./two.ts"]],
  ['export * from "./one.ts";\nconst two = await import("./two.ts");', ["./one.ts", "./two.ts"]],
  ['import type { One } from "./one.ts";', []],
  ['import { type One, two } from "./one.ts";', ["./one.ts"]],
])("reads the imports of %j", (text, specifiers) => expect(importsOf(text)).toEqual(specifiers));
