import { within } from "@routeql/contract/within";
import type { Work } from "../work.ts";
import { Failure } from "../failure.ts";
import { dockerClient, follow } from "./client.ts";
import {
  credentialsFor,
  type RegistryCredentials,
  registryProblem,
  type RegistryProblem,
  silentRegistry,
} from "./registry.ts";

/** Time limit for a registry's answer, in seconds; the Docker daemon alone would wait for minutes on a network that drops packets. */
const answerSeconds = 15;

/** Makes the Docker daemon ask whether the image's registry serves it. @returns undefined when it does */
export async function askRegistry(image: string): Promise<RegistryProblem | undefined> {
  const credentials = await credentialsFor(image);
  // The types omit the credentials, which the client passes on.
  const subject = dockerClient().getImage(image) as unknown as { distribution: (options: object) => Promise<unknown> };
  const answer = subject.distribution({ authconfig: credentials }).then(
    () => undefined,
    (error: unknown) => registryProblem(error, image, credentials !== undefined),
  );
  return within(answerSeconds * 1000, answer).catch(() => silentRegistry(image, answerSeconds));
}

export const pullFailure = (image: string, { reason, remedy }: RegistryProblem, more = ""): Failure =>
  new Failure(`The image ${image} is not on this machine and cannot be pulled: ${reason}`, {
    remedy: `${remedy}${more}`,
  });

/** Pulls an image with the credentials of `docker login`. @throws {Failure} with the reason and its remedy */
export async function pullImage(image: string, { show, onLine, signal }: Omit<Work, "say">): Promise<void> {
  await transfer(image, "pulling", { show, onLine, signal }, (authconfig) =>
    dockerClient().pull(image, { authconfig, abortSignal: signal }),
  );
}

/** Pushes an image with the credentials of `docker login`. @throws {Failure} with the reason and its remedy */
export async function pushImage(image: string, { show, onLine, signal }: Omit<Work, "say">): Promise<void> {
  await transfer(image, "pushing", { show, onLine, signal }, (authconfig) => {
    // The daemon rejects a push without the header, even to a registry without authentication.
    return dockerClient()
      .getImage(image)
      .push({ authconfig: authconfig ?? {}, abortSignal: signal });
  });
}

async function transfer(
  image: string,
  verb: "pulling" | "pushing",
  { show, onLine, signal }: Omit<Work, "say">,
  start: (credentials: RegistryCredentials | undefined) => Promise<NodeJS.ReadableStream>,
): Promise<void> {
  const credentials = await credentialsFor(image);
  try {
    await follow(await start(credentials), ({ status, id }) => {
      onLine(`${id ?? ""} ${status ?? ""}`);
      show(`${verb} ${image}: ${status ?? ""}`);
    });
  } catch (error) {
    signal.throwIfAborted();
    const { reason, remedy } = registryProblem(error, image, credentials !== undefined);
    throw new Failure(`${verb === "pulling" ? "Pulling" : "Pushing"} ${image} failed: ${reason}`, {
      remedy,
      cause: error,
    });
  }
}
