import { spawn } from "node:child_process";
import { once } from "node:events";
import { resolve } from "node:path";
import { createInterface } from "node:readline";
import { text } from "node:stream/consumers";
import { residentMegabytes } from "../measure/server-process.ts";

const repository = resolve(import.meta.dirname, "../..");

/** Result of one `npm run load`, from its own progress lines. */
export interface LoadRun {
  readonly rows: number;
  readonly seconds: number;
  /** Time until all lines were read and validated. */
  readonly readingSeconds: number;
  /** Rows per second of each million while writing; the last may be shorter. */
  readonly ratePerMillion: readonly number[];
  /** Longest time between two progress lines. */
  readonly longestSilenceSeconds: number;
  /** Resident memory of the loader at a tenth of its progress lines and at most. */
  readonly earlyMegabytes: number;
  readonly mostMegabytes: number;
}

/** Runs the command on a stack. @throws when it fails */
export async function runLoader(stack: string, file: string): Promise<LoadRun> {
  const began = performance.now();
  const since = (): number => (performance.now() - began) / 1000;
  const child = spawn(process.execPath, ["cli/main.ts", "load", "--stack", stack, file], {
    cwd: repository,
    stdio: ["ignore", "pipe", "pipe"],
  });
  const exited = once(child, "exit");
  const output = text(child.stdout);
  const said: string[] = [];
  const marks: { readonly rows: number; readonly at: number }[] = [];
  const memory: number[] = [];
  let [readingSeconds, spokeAt, longestSilenceSeconds] = [0, 0, 0];
  for await (const line of createInterface({ input: child.stderr })) {
    const at = since();
    if (spokeAt > 0) longestSilenceSeconds = Math.max(longestSilenceSeconds, at - spokeAt);
    spokeAt = at;
    said.push(line);
    if (child.pid !== undefined && child.exitCode === null) memory.push(residentMegabytes(child.pid));
    const written = /: ([\d,]+) of [\d,]+ rows written/.exec(line)?.[1];
    if (written !== undefined) marks.push({ rows: Number(written.replaceAll(",", "")), at });
    else readingSeconds = at;
  }
  const [code] = (await exited) as [number | null];
  const summary = await output;
  const loaded = /^ +loaded +([\d,]+)$/m.exec(summary)?.[1];
  if (code !== 0 || loaded === undefined) throw new Error(`the load failed:\n${said.slice(-5).join("\n")}\n${summary}`);
  const rows = Number(loaded.replaceAll(",", ""));
  return {
    rows,
    seconds: since(),
    readingSeconds,
    ratePerMillion: ratePerMillion([...marks, { rows, at: since() }], readingSeconds),
    longestSilenceSeconds,
    earlyMegabytes: memory[Math.floor(memory.length / 10)] ?? Number.NaN,
    mostMegabytes: Math.max(...memory),
  };
}

/** @param from second at which writing began */
function ratePerMillion(marks: readonly { readonly rows: number; readonly at: number }[], from: number): number[] {
  const rates: number[] = [];
  let last = { rows: 0, at: from };
  for (const [index, mark] of marks.entries()) {
    if (mark.rows - last.rows < 1_000_000 && index < marks.length - 1) continue;
    if (mark.rows > last.rows) rates.push((mark.rows - last.rows) / (mark.at - last.at));
    last = mark;
  }
  return rates;
}
