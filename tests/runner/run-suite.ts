import { type ChildProcess, spawn } from "node:child_process";
import { createWriteStream, mkdirSync } from "node:fs";
import { chmod, mkdir, mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { evidenceFolder, logsFolder, outputFile, runOfSuite, scratchPrefix } from "./folders.ts";
import { endProcessesWith } from "./processes.ts";
import { type SuiteResult, type TestRecord, withoutEmptiness } from "./results.ts";
import { showLines } from "./show-lines.ts";
import type { Suite } from "./suites.ts";
import { repository } from "../harness/repository.ts";

export interface RunContext {
  /** The run's identifier, in the labels of all its objects. */
  readonly run: string;
  /** Whether other suites run at the same time: then each line starts with the suite's name. Otherwise the suite uses the terminal directly. */
  readonly sharesTerminal: boolean;
  /** Only tests whose title contains this. */
  readonly filter: string | undefined;
  /** Registers each running process, so that an interruption can reach it. */
  readonly onStart: (child: ChildProcess, suite: string) => void;
}

/** Runs one suite with its progress on the terminal. */
export async function runSuite(suite: Suite, context: RunContext): Promise<SuiteResult> {
  const started = performance.now();
  const outcome = suite.kind === "command" ? await runCommand(suite, context) : await runVitest(suite, context);
  return withoutEmptiness({ suite: suite.name, seconds: (performance.now() - started) / 1000, ...outcome });
}

type Outcome = Pick<SuiteResult, "tests" | "logs" | "output">;

const outputOf = ({ name }: Suite, { run, sharesTerminal }: RunContext): string | undefined =>
  sharesTerminal ? relative(repository, outputFile(run, name)) : undefined;

async function runCommand(suite: Suite, context: RunContext): Promise<Outcome> {
  const [file, ...args] = suite.command as [string, ...string[]];
  const { code, lastLines } = await execute(suite, file, args, process.env, context);
  if (code === 0) return { tests: [{ title: suite.what, state: "passed" }] };
  return {
    tests: [{ title: suite.what, state: "failed", reason: lastLines === "" ? "see its output above" : lastLines }],
    output: outputOf(suite, context),
  };
}

async function runVitest(suite: Suite, context: RunContext): Promise<Outcome> {
  const scratch = await mkdtemp(join(tmpdir(), scratchPrefix(context.run, suite.name)));
  // Programs that run as another user look for their files in it.
  await chmod(scratch, 0o711);
  const logs = logsFolder(context.run, suite.name);
  await mkdir(logs, { recursive: true, mode: 0o700 });
  try {
    const results = resultsIn(scratch);
    const { code } = await execute(
      suite,
      process.execPath,
      vitestArguments(suite, context),
      environment(suite, scratch, context),
      context,
    );
    const tests = await readRecords(results);
    if (code !== 0 && tests.every(({ state }) => state !== "failed")) {
      tests.push({
        title: suite.name,
        state: "failed",
        reason: `vitest ended with ${code} although no test failed: see its output above`,
      });
    }
    const failed = tests.some(({ state }) => state === "failed");
    if (!failed) return { tests };
    return {
      tests,
      logs: (await readdir(logs)).length > 0 ? relative(repository, logs) : undefined,
      output: outputOf(suite, context),
    };
  } finally {
    // None, unless the suite was interrupted or left one running.
    await endProcessesWith("ROUTEQL_TEST_RUN", runOfSuite(context.run, suite.name), { each: 15_000 });
    await rm(scratch, { recursive: true, force: true });
  }
}

function vitestArguments(suite: Suite, { filter }: RunContext): string[] {
  const reporter = suite.needsDocker ? "verbose" : "default";
  return [
    join(repository, "node_modules/vitest/vitest.mjs"),
    "run",
    `--project=${suite.name}`,
    `--reporter=${reporter}`,
    `--reporter=${join(import.meta.dirname, "reporter.ts")}`,
    "--no-allowOnly",
    ...(suite.without?.files ?? []).map((file) => `--exclude=${file}`),
    ...(filter === undefined
      ? []
      : ["--hideSkippedTests", "--testNamePattern", filter.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`)]),
  ];
}

const resultsIn = (scratch: string): string => join(scratch, "results.json");

function environment(suite: Suite, scratch: string, { run, filter, sharesTerminal }: RunContext): NodeJS.ProcessEnv {
  return {
    ...process.env,
    // A separate one, because each suite removes the objects with its identifier at its end.
    ROUTEQL_TEST_RUN: runOfSuite(run, suite.name),
    ROUTEQL_TEST_RESULTS: resultsIn(scratch),
    // The suite's temporary files, deleted at its end in any case.
    TMPDIR: scratch,
    ROUTEQL_TEST_LOGS: logsFolder(run, suite.name),
    ROUTEQL_TEST_EVIDENCE: evidenceFolder(run),
    ...(sharesTerminal ? {} : { ROUTEQL_TEST_ALONE: "1" }),
    ...(filter === undefined ? {} : { ROUTEQL_TEST_FILTER: filter }),
  };
}

/** The reporter's file; absent if vitest crashed before its end. */
async function readRecords(path: string): Promise<TestRecord[]> {
  const text = await readFile(path, "utf8").catch(() => "[]");
  return JSON.parse(text) as TestRecord[];
}

interface Ended {
  readonly code: number;
  /** File of its output; absent if it used the terminal directly. */
  readonly lastLines: string;
}

const shownLines = 30;

async function execute(
  suite: Suite,
  file: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv,
  context: RunContext,
): Promise<Ended> {
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  const lines: string[] = [];
  const colours =
    context.sharesTerminal && process.stdout.isTTY && env["NO_COLOR"] === undefined ? { FORCE_COLOR: "1" } : {};
  const child = spawn(file, args, {
    cwd: repository,
    env: { ...env, ...colours },
    stdio: context.sharesTerminal ? ["ignore", "pipe", "pipe"] : ["ignore", "inherit", "inherit"],
  });
  context.onStart(child, suite.name);
  const keep = (line: string): void => void lines.splice(0, lines.push(line) - shownLines);
  if (context.sharesTerminal) showBesideOthers(suite, child, context.run, keep);
  child.once("error", reject);
  child.once("close", (code) => resolve(code ?? -1));
  return { code: await promise, lastLines: lines.join("\n").trim() };
}

function showBesideOthers({ name }: Suite, child: ChildProcess, run: string, keep: (line: string) => void): void {
  const path = outputFile(run, name);
  mkdirSync(join(path, ".."), { recursive: true, mode: 0o700 });
  const output = createWriteStream(path, { mode: 0o600 });
  for (const [stream, terminal] of [
    [child.stdout, process.stdout],
    [child.stderr, process.stderr],
  ] as const) {
    if (stream === null) continue;
    showLines(stream, `${name.padEnd(12)} `, terminal, (line) => {
      keep(line);
      output.write(`${line}\n`);
    });
  }
  child.once("close", () => output.end());
}
