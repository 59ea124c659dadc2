import { type ChildProcess, spawn } from "node:child_process";

export interface SidecarProcess {
  readonly child: ChildProcess;
  /** Both streams so far. */
  readonly output: () => string;
}

/** The service as its image starts it, with exactly this environment. */
export function startProcess(environment: Readonly<Record<string, string>>): SidecarProcess {
  const child = spawn(process.execPath, ["auth-sidecar/src/main.ts"], {
    env: { ...environment },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let text = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk: Buffer) => (text += chunk.toString()));
  return { child, output: () => text };
}
