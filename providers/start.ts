import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { Failure } from "@routeql/host/failure";
import { standIns } from "./choice.ts";

/** The stand-ins at work; gone with everything they still do when disposed of. */
export interface RunningStandIns extends AsyncDisposable {
  /** Tells an engine of this environment where they are: it starts none of its own then (GetProviderAttachPort of pulumi/pulumi). */
  readonly environment: Readonly<Record<string, string>>;
  /** Names the engine's process: they live as long as it does, also where this process ends before it. */
  readonly serve: (engine: number) => void;
}

/** Starts the stand-ins in one process for one run of the engine. @param onLine what they write to their standard error */
export async function startStandIns(environment: NodeJS.ProcessEnv, onLine: (line: string) => void): Promise<RunningStandIns> {
  // A process group of its own: a Ctrl-C at the terminal reaches them by the engine, which lets them end what they do.
  const child = spawn(process.execPath, [join(import.meta.dirname, "together.ts")], { env: environment, stdio: "pipe", detached: true });
  const closed = once(child, "close");
  createInterface({ input: child.stderr }).on("line", onLine);
  const [port] = (await Promise.race([once(createInterface({ input: child.stdout }), "line"), closed.then(() => [])])) as [string?];
  if (port === undefined) throw new Failure("The stand-in provider plugins cannot be started", { remedy: "the log has what they said." });
  // One that has ended is noticed by the engine.
  child.stdin.on("error", () => undefined);
  return {
    environment: { PULUMI_DEBUG_PROVIDERS: standIns.map((name) => `${name}:${port}`).join(",") },
    serve: (engine) => child.stdin.write(String(engine)),
    async [Symbol.asyncDispose]() {
      child.kill("SIGKILL");
      await closed;
    },
  };
}
