import { Failure, messageOf } from "../foundation/failure.ts";

/** A WebSocket that could not be opened rejects with an event, which has no words of its own when printed. */
export function connectionFailure(pod: string, error: unknown): Failure {
  const text = error instanceof Error ? messageOf(error) : ((error as { message?: string } | undefined)?.message ?? "no reason given");
  return new Failure(`The pod ${pod} cannot be reached through the API server: ${text}`, {
    remedy: "it needs the rights pods/exec and pods/portforward, and an API server that reaches its nodes.",
    cause: error,
  });
}
