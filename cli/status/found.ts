import { Failure } from "@routeql/host/failure";
import { NotUp, stackArgument } from "../foundation/command.ts";
import type { ServiceState } from "./report.ts";
import { stateText } from "./text.ts";

/**
 * The refusal of a command for a stack without its files, with the containers that carry the stack's name.
 * @param refusal why the stack cannot be read: {@link NotUp}, or another owner
 */
export function withFound(refusal: Failure, stack: string, found: readonly ServiceState[]): Failure {
  if (found.length === 0) return refusal;
  const lastLines = found.map((state) => `${state.container} ${stateText(state)}`).toSorted();
  if (!(refusal instanceof NotUp))
    return new Failure(refusal.message, { lastLines, remedy: refusal.remedy, cause: refusal });
  return new Failure(`The stack ${stack} has ${found.length} containers here, but no .routeql/${stack}/access.env`, {
    lastLines,
    remedy: `run \`npm run up${stackArgument(stack)}\`: it repairs the stack and writes the file.`,
    cause: refusal,
  });
}
