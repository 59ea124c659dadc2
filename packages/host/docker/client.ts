import { readFileSync } from "node:fs";
import { Agent } from "node:https";
import { join } from "node:path";
import Docker from "dockerode";
import { type EngineAddress, engineAddress, socketOf } from "./engine-address.ts";

const fileIn = (folder: string, name: string): Buffer | undefined => {
  try {
    return readFileSync(join(folder, name));
  } catch (error) {
    // A context may have only an authority, without a client certificate.
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
};

/** Client library options for an engine; the library's types omit the agent. */
export function clientOptions(address: EngineAddress): Docker.DockerOptions & { readonly agent?: Agent } {
  const socketPath = socketOf(address);
  if (socketPath !== undefined) return { socketPath };
  const { protocol, hostname: host, port } = new URL(address.endpoint.replace(/^tcp:/, "http:"));
  const { tls = protocol === "https:" ? { folder: undefined, verifies: true } : undefined } = address;
  if (tls === undefined) return { host, port: port || "2375", protocol: "http" };
  const read = (name: string): Buffer | undefined => (tls.folder === undefined ? undefined : fileIn(tls.folder, name));
  const [ca, cert, key] = ["ca.pem", "cert.pem", "key.pem"].map(read);
  const files = { ...(ca ? { ca } : {}), ...(cert ? { cert } : {}), ...(key ? { key } : {}) };
  return {
    host,
    port: port || "2376",
    protocol: "https",
    ...files,
    agent: new Agent({ ...files, rejectUnauthorized: tls.verifies }),
  };
}

export const clientOf = (address: EngineAddress): Docker => new Docker(clientOptions(address));

/** A client of the Docker engine that the docker command would use. */
export const dockerClient = (): Docker => clientOf(engineAddress());

export const isNotFound = (error: unknown): boolean => statusOf(error) === 404;
export const isConflict = (error: unknown): boolean => statusOf(error) === 409;

/** HTTP status of a reply of the engine; undefined for other errors. */
export function statusOf(error: unknown): number | undefined {
  const status = (error as { statusCode?: unknown } | null)?.statusCode;
  return typeof status === "number" ? status : undefined;
}

/** Resolves to undefined if the engine reports that the object does not exist. */
export async function orUndefined<T>(promise: Promise<T>): Promise<T | undefined> {
  try {
    return await promise;
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}
