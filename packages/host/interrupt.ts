import { Interrupted } from "./failure.ts";
import { killAll } from "./process.ts";

/** A terminal, npm and the bootstrap may each deliver one Ctrl-C: signals this close together count as one. */
const oneKeypressMilliseconds = 400;

/**
 * Turns the first Ctrl-C (or SIGTERM, SIGHUP) into an abort of the returned signal, so that the work stops cleanly. The second one kills
 * all child processes immediately.
 */
export function onInterrupt(say: (text: string) => void): AbortSignal {
  const controller = new AbortController();
  let first: number | undefined;
  const handle = (signal: NodeJS.Signals): void => {
    if (first === undefined) {
      first = Date.now();
      say("Stopping cleanly; press Ctrl-C again to stop immediately.");
      controller.abort(new Interrupted());
    } else if (Date.now() - first > oneKeypressMilliseconds) {
      killAll();
      process.exit(signal === "SIGINT" ? 130 : 143);
    }
  };
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, handle);
  return controller.signal;
}
