import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { run } from "../harness/process.ts";

/** The fields of Vitest's JSON report that are read here. */
interface Report {
  readonly testResults: readonly {
    readonly name: string;
    readonly message?: string;
    readonly assertionResults: readonly {
      readonly fullName: string;
      readonly status: string;
      readonly failureMessages?: readonly string[];
    }[];
  }[];
}

export interface FailedTest {
  readonly title: string;
  readonly message: string;
}

export interface Outcome {
  /** Number of finished tests. */
  readonly ran: number;
  readonly failed: readonly FailedTest[];
  /** Reasons why files could not run; these do not count as noticing a fault. */
  readonly broken: readonly string[];
}

/** Runs some files of tests of one suite in a folder. */
export async function runTests(folder: string, suite: string, files: readonly string[]): Promise<Outcome> {
  const scratch = await mkdtemp(join(tmpdir(), "routeql-mutations-"));
  try {
    const report = join(scratch, "report.json");
    const args = [
      join(folder, "node_modules/vitest/vitest.mjs"),
      "run",
      `--project=${suite}`,
      "--reporter=json",
      "--testTimeout=60000",
      `--outputFile=${report}`,
      ...files,
    ];
    const { stdout, stderr } = await run(process.execPath, args, { cwd: folder, timeout: 300_000 });
    const text = await readFile(report, "utf8").catch(() => undefined);
    if (text === undefined)
      return { ran: 0, failed: [], broken: [`${stdout}\n${stderr}`.trim().split("\n").slice(-5).join("\n")] };
    return outcomeOf(JSON.parse(text) as Report);
  } finally {
    await rm(scratch, { recursive: true });
  }
}

/** Result of a report. A failed file without a failed test could not be loaded or set up. */
export function outcomeOf({ testResults }: Report): Outcome {
  const tests = testResults.flatMap(({ assertionResults }) => assertionResults);
  const failed = tests
    .filter(({ status }) => status === "failed")
    .map(({ fullName, failureMessages = [] }) => ({ title: fullName, message: failureMessages.join("\n") }));
  const broken = testResults
    .filter(
      ({ message, assertionResults }) =>
        message !== undefined && message !== "" && assertionResults.every(({ status }) => status !== "failed"),
    )
    .map(({ name, message }) => `${name}: ${message}`);
  return { ran: tests.filter(({ status }) => status === "passed" || status === "failed").length, failed, broken };
}
