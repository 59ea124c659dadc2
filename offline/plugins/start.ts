import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { Failure } from "@routeql/host/failure";

/** The running plugins; disposing of them stops them and their work. */
export interface RunningPlugins extends AsyncDisposable {
  /** Environment with their addresses for Pulumi, which then starts no plugins itself (GetProviderAttachPort of pulumi/pulumi). */
  readonly environment: Readonly<Record<string, string>>;
  /** Passes Pulumi's process id: the stand-ins live as long as Pulumi, even if this process exits first. */
  readonly serve: (pulumi: number) => void;
}

/** Starts the stand-ins in one process for one run of Pulumi. @param onLine receives the lines of their standard error */
export async function startPlugins(
  names: readonly string[],
  environment: NodeJS.ProcessEnv,
  onLine: (line: string) => void,
): Promise<RunningPlugins> {
  // Separate process group: a Ctrl-C in the terminal reaches them through Pulumi, which lets them finish their current work.
  const child = spawn(process.execPath, [join(import.meta.dirname, "together.ts")], {
    env: environment,
    stdio: "pipe",
    detached: true,
  });
  const closed = once(child, "close");
  createInterface({ input: child.stderr }).on("line", onLine);
  const [port] = (await Promise.race([
    once(createInterface({ input: child.stdout }), "line"),
    closed.then(() => []),
  ])) as [string?];
  if (port === undefined)
    throw new Failure("The stand-in provider plugins cannot be started", { remedy: "see the log for their output." });
  // If the stand-ins have exited, Pulumi reports it.
  child.stdin.on("error", () => undefined);
  return {
    environment: { PULUMI_DEBUG_PROVIDERS: names.map((name) => `${name}:${port}`).join(",") },
    serve: (pulumi) => child.stdin.write(String(pulumi)),
    async [Symbol.asyncDispose]() {
      child.kill("SIGKILL");
      await closed;
    },
  };
}
