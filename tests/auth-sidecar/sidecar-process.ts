import { type ChildProcess, spawn } from "node:child_process";

export interface SidecarProcess {
  readonly child: ChildProcess;
  /** Both streams up to now. */
  readonly output: () => string;
}

/** The service started like in its image, with exactly this environment. */
export function startProcess(environment: Readonly<Record<string, string>>): SidecarProcess {
  const child = spawn(process.execPath, ["auth-sidecar/src/main.ts"], {
    env: { ...environment },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let text = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk: Buffer) => (text += chunk.toString()));
  return { child, output: () => text };
}
