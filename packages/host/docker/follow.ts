import { dockerClient } from "./client.ts";

/** Output of the engine during builds, pulls and imports: a sequence of JSON objects. */
export interface EngineMessage {
  readonly stream?: string;
  readonly status?: string;
  readonly id?: string;
  readonly error?: string;
}

/**
 * Reads the engine's messages to the end. The engine reports a failure as one of the messages.
 * @throws with the engine's message when the work failed, and when the connection breaks
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
