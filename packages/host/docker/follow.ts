import { dockerClient } from "./client.ts";

/** What the engine sends while it builds, pulls or imports, one JSON object after the other. */
export interface EngineMessage {
  readonly stream?: string;
  readonly status?: string;
  readonly id?: string;
  readonly error?: string;
}

/**
 * Reads the messages of a piece of work of the engine to its end. The engine tells a failure by a message among the others.
 * @throws with the engine's words when the work failed, and when the connection breaks
 */
export async function follow(
  stream: NodeJS.ReadableStream,
  onMessage: (message: EngineMessage) => void = () => undefined,
): Promise<readonly EngineMessage[]> {
  const messages = await new Promise<readonly EngineMessage[]>((resolve, reject) => {
    dockerClient().modem.followProgress(
      stream,
      (error: Error | null, all: EngineMessage[]) => (error ? reject(error) : resolve(all)),
      onMessage,
    );
  });
  const failure = messages.find(({ error }) => error !== undefined);
  if (failure?.error !== undefined) throw new Error(failure.error.trim());
  return messages;
}
