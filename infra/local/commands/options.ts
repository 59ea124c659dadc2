import { withoutEngine } from "../docker/unreachable.ts";
import { explain } from "../foundation/failure.ts";
import { onInterrupt } from "../foundation/interrupt.ts";
import { withoutRights } from "../kubernetes/connection-error.ts";
import { logFileOf } from "../stack/session.ts";

/** An error as it is said: what Docker or Kubernetes refuses, with what to do. */
export const explainable = (error: unknown): unknown => withoutRights(withoutEngine(error));

/** Runs a command's work; Ctrl-C is handled, an error explained with its log. Resolves to the exit code. */
export async function runInterruptibly(
  work: (signal: AbortSignal) => Promise<number>,
  say = (text: string): void => console.error(`\n${text}`),
): Promise<number> {
  const signal = onInterrupt(say);
  try {
    return await work(signal);
  } catch (error) {
    console.error(`\n${explain(signal.aborted ? signal.reason : explainable(error), logFileOf(error))}`);
    return signal.aborted ? 130 : 1;
  }
}

/** ` -- --stack NAME`, as it has to be typed for another stack than the usual one. */
export const stackArgument = (stack: string): string => (stack === "local" ? "" : ` -- --stack ${stack}`);
