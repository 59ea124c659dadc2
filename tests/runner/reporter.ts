/** A vitest reporter that writes the summary's data to the file in ROUTEQL_TEST_RESULTS. Vitest's own reporter shows the progress. */
import { writeFile } from "node:fs/promises";
import { relative } from "node:path";
import { stripVTControlCharacters } from "node:util";
import type { TestError } from "vitest";
import type { Reporter, TestCase, TestModule, TestSuite } from "vitest/node";
import { repository } from "../harness/repository.ts";
import type { TestRecord } from "./results.ts";

export default class ResultsReporter implements Reporter {
  async onTestRunEnd(modules: readonly TestModule[], unhandled: readonly { message?: string }[]): Promise<void> {
    const records = [
      ...modules.flatMap(recordsOf),
      ...unhandled.map(({ message }): TestRecord => ({
        title: "outside of any test",
        state: "failed",
        reason: message ?? "an error without a message",
      })),
    ];
    await writeFile(process.env["ROUTEQL_TEST_RESULTS"] as string, JSON.stringify(records));
  }
}

/** Every test of one file, and one additional failure for each error outside its tests (loading, hooks). */
function recordsOf(module: TestModule): TestRecord[] {
  const file = relative(repository, module.moduleId);
  const broken = [module, ...module.children.allSuites()].flatMap((part) =>
    part
      .errors()
      .map((error): TestRecord => ({
        title: nameOf(file, part),
        state: "failed",
        reason: error.message,
        place: placeOf(error),
      })),
  );
  return [
    ...broken,
    ...Array.from(module.children.allTests()).flatMap((test) => recordOf(file, test, broken.length > 0)),
  ];
}

const shownLines = 24;

/** The message with a shortened difference; the suite's output has all of it. */
function reasonOf(error: TestError | undefined): string | undefined {
  if (error?.diff === undefined) return error?.message;
  const lines = stripVTControlCharacters(error.diff)
    .split("\n")
    .filter((line) => line.trim() !== "");
  return [error.message, ...lines.slice(0, shownLines), ...(lines.length > shownLines ? ["…"] : [])].join("\n");
}

/** The first stack frame in the project's own code. */
function placeOf(error: Pick<TestError, "stacks"> | undefined): string | undefined {
  const place = error?.stacks?.find(({ file }) => !file.includes("node_modules"));
  return place === undefined ? undefined : `${relative(repository, place.file)}:${place.line}:${place.column}`;
}

function nameOf(file: string, part: TestModule | TestSuite): string {
  return part.type === "module" ? `${file} (setup)` : `${file} > ${part.fullName} (setup)`;
}

function recordOf(file: string, test: TestCase, setupFailed: boolean): TestRecord[] {
  const title = `${file} > ${test.fullName}`;
  const result = test.result();
  if (result.state === "passed")
    return [{ title, state: "passed", seconds: (test.diagnostic()?.duration ?? 0) / 1000 }];
  if (result.state === "failed")
    return [{ title, state: "failed", reason: reasonOf(result.errors[0]), place: placeOf(result.errors[0]) }];
  if (result.state === "skipped" && result.note !== undefined)
    return [{ title, state: "skipped", reason: result.note }];
  if (setupFailed) return [{ title, state: "failed", reason: "did not run: the setup before it failed" }];
  // Excludes tests that do not match the filter.
  if (process.env["ROUTEQL_TEST_FILTER"] !== undefined) return [];
  return [{ title, state: "failed", reason: "skipped without a reason: use context.skip(reason)" }];
}
