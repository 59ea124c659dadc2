import { dockerClient } from "./client.ts";
import { follow } from "./follow.ts";

export interface PullOptions {
  readonly show: (text: string) => void;
  readonly onLine: (line: string) => void;
  readonly signal: AbortSignal;
}

/** Asks, from the engine's side, whether the image's registry serves it; the answer is not kept. */
export async function registryServes(name: string): Promise<boolean> {
  const answer = dockerClient()
    .getImage(name)
    .distribution()
    .then(
      () => true,
      () => false,
    );
  const tooLate = new Promise<boolean>((resolve) => {
    setTimeout(() => resolve(false), 6_000).unref();
  });
  return Promise.race([answer, tooLate]);
}

/** Pulls an image from its registry. @throws what the engine says when that fails */
export async function pullImage(name: string, { show, onLine, signal }: PullOptions): Promise<void> {
  const docker = dockerClient();
  const stream = await docker.pull(name, { abortSignal: signal });
  await follow(stream, ({ status, id }) => {
    onLine(`${id ?? ""} ${status ?? ""}`);
    show(`pulling ${name}: ${status ?? ""}`);
  });
}
