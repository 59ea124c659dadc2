import Docker from "dockerode";

/** A client of the engine that DOCKER_HOST (and DOCKER_TLS_VERIFY, DOCKER_CERT_PATH) names, else of /var/run/docker.sock. */
export function dockerClient(): Docker {
  return new Docker();
}

export const isNotFound = (error: unknown): boolean => statusOf(error) === 404;
export const isConflict = (error: unknown): boolean => statusOf(error) === 409;

/** HTTP status of an answer of the engine, undefined for errors of another kind. */
export function statusOf(error: unknown): number | undefined {
  const status = (error as { statusCode?: unknown } | null)?.statusCode;
  return typeof status === "number" ? status : undefined;
}

/** Resolves to undefined where the engine says that there is no such thing. */
export async function orUndefined<T>(promise: Promise<T>): Promise<T | undefined> {
  try {
    return await promise;
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}
