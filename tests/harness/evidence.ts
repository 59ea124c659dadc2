/**
 * What the suites leave for the suite `secrets`, which looks for every secret of the run in everything that the run has left: in the folder
 * named by ROUTEQL_TEST_EVIDENCE, which `npm test` makes and removes. Without it (a single file under vitest) nothing is kept.
 * @module
 */
import { appendFileSync, cpSync, existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { run } from "./process.ts";

/** Names of files and folders inside the folder of evidence. */
export const evidence = { secrets: "secrets.jsonl", inspections: "inspections", states: "states" } as const;

export interface NotedSecret {
  /** May be shown; the value may not. */
  readonly name: string;
  readonly value: string;
}

/** Notes a secret of this run, however it came to be one. */
export function noteSecret(name: string, value: string): void {
  const folder = evidenceFolder();
  if (folder === undefined) return;
  // One line is one write below the size that a pipe or file takes at once, so that suites side by side do not mix theirs.
  appendFileSync(join(folder, evidence.secrets), `${JSON.stringify({ name, value } satisfies NotedSecret)}\n`, { mode: 0o600 });
}

/** Notes what `docker inspect` says of a container: environment, command, labels, mounts. */
export async function keepInspection(container: string): Promise<void> {
  if (evidenceFolder() === undefined) return;
  const { stdout } = await run("docker", ["inspect", container]);
  keepText(evidence.inspections, `${container}.json`, stdout);
}

/** Keeps a text, such as a list of processes, beside the inspections. */
export function keepText(kind: string, name: string, text: string): void {
  const folder = evidenceFolder();
  if (folder === undefined) return;
  mkdirSync(join(folder, kind), { recursive: true, mode: 0o700 });
  writeFileSync(join(folder, kind, `${process.pid}-${name}`), text, { mode: 0o600 });
}

/** Keeps a copy of the state folder of a stack. */
export function keepState(stack: string, state: string): void {
  const folder = evidenceFolder();
  if (folder === undefined || !existsSync(state)) return;
  cpSync(state, join(folder, evidence.states, `${stack}-${process.pid}`), { recursive: true });
}

function evidenceFolder(): string | undefined {
  const folder = process.env["ROUTEQL_TEST_EVIDENCE"];
  if (folder !== undefined) mkdirSync(folder, { recursive: true, mode: 0o700 });
  return folder;
}
