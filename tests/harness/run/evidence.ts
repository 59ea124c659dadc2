/**
 * Evidence that the suites keep for the suite `secrets`, which searches all remains of the run for every secret. The folder is in
 * ROUTEQL_TEST_EVIDENCE; `npm test` creates and removes it. Without it (a single file under vitest) nothing is kept.
 */
import { appendFileSync, cpSync, existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { run } from "../process.ts";

/** Names of files and folders inside the folder of evidence. */
export const evidence = { secrets: "secrets.jsonl", inspections: "inspections", states: "states" } as const;

export interface NotedSecret {
  /** May be printed; the value may not. */
  readonly name: string;
  readonly value: string;
}

/** Records a secret of this run. */
export function noteSecret(name: string, value: string): void {
  const folder = evidenceFolder();
  if (folder === undefined) return;
  // One line is one write, smaller than the atomic size of a pipe or file, so that parallel suites do not mix their lines.
  appendFileSync(join(folder, evidence.secrets), `${JSON.stringify({ name, value } satisfies NotedSecret)}\n`, {
    mode: 0o600,
  });
}

/** Records the output of `docker inspect` for a container: environment, command, labels, mounts. */
export async function keepInspection(container: string): Promise<void> {
  if (evidenceFolder() === undefined) return;
  const { stdout } = await run("docker", ["inspect", container]);
  keepText(evidence.inspections, `${container}.json`, stdout);
}

/** Keeps a text, such as a list of processes, next to the inspections. */
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
