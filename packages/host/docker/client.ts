import { readFileSync } from "node:fs";
import { Agent } from "node:https";
import { join } from "node:path";
import Docker from "dockerode";
import { Failure, messageOf } from "../failure.ts";
import { type DaemonAddress, daemonAddress, socketOf, standardOrigin } from "./daemon-address.ts";

const fileIn = (folder: string, name: string): Buffer | undefined => {
  try {
    return readFileSync(join(folder, name));
  } catch (error) {
    // A context may have only an authority, without a client certificate.
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
};

/** Client library options for a daemon; the library's types omit the agent. */
export function clientOptions(address: DaemonAddress): Docker.DockerOptions & { readonly agent?: Agent } {
  const socketPath = socketOf(address);
  if (socketPath !== undefined) return { socketPath };
  const { protocol, hostname: host, port } = new URL(address.endpoint.replace(/^tcp:/, "http:"));
  const { tls = protocol === "https:" ? { folder: undefined, verifies: true } : undefined } = address;
  if (tls === undefined) return { host, port: port || "2375", protocol: "http" };
  const read = (name: string): Buffer | undefined => (tls.folder === undefined ? undefined : fileIn(tls.folder, name));
  const [ca, cert, key] = ["ca.pem", "cert.pem", "key.pem"].map(read);
  const files = { ...(ca ? { ca } : {}), ...(cert ? { cert } : {}), ...(key ? { key } : {}) };
  const agent = new Agent({ ...files, rejectUnauthorized: tls.verifies });
  return { host, port: port || "2376", protocol: "https", ...files, agent };
}

export const clientOf = (address: DaemonAddress): Docker => new Docker(clientOptions(address));

export const dockerClient = (): Docker => clientOf(daemonAddress());

export const isNotFound = (error: unknown): boolean => statusOf(error) === 404;
export const isConflict = (error: unknown): boolean => statusOf(error) === 409;

/** HTTP status of a reply of the daemon; undefined for other errors. */
export function statusOf(error: unknown): number | undefined {
  const status = (error as { statusCode?: unknown } | null)?.statusCode;
  return typeof status === "number" ? status : undefined;
}

/** Resolves to undefined if the daemon reports that the object does not exist. */
export async function orUndefined<T>(promise: Promise<T>): Promise<T | undefined> {
  try {
    return await promise;
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}

/** Socket paths, and how to start the daemon behind each. */
const starts: readonly (readonly [socket: RegExp, start: string])[] = [
  [/\/\.docker\/(run|desktop)\/docker\.sock$/, "start Docker Desktop"],
  [/\/\.colima\//, "start Colima: colima start"],
  [/\/\.orbstack\//, "start OrbStack"],
  [/\/\.rd\//, "start Rancher Desktop"],
  [/^\/run\/user\/\d+\/docker\.sock$/, "start the rootless daemon: systemctl --user start docker"],
];

function anotherDaemon({ origin }: DaemonAddress): string {
  if (origin === "DOCKER_HOST") return ", or unset DOCKER_HOST to use the current Docker context";
  return origin.startsWith("the Docker context") ? ", or choose another context: docker context use NAME" : "";
}

function howToStart(address: DaemonAddress): string {
  const socket = socketOf(address) ?? "";
  const known = starts.find(([path]) => path.test(socket))?.[1];
  return `${known ?? (address.origin === standardOrigin ? "start Docker; on Debian `npm run up` installs and starts it as root" : "start that daemon")}${anotherDaemon(address)}.`;
}

function howToGetAccess(address: DaemonAddress): string {
  const socket = socketOf(address) ?? "";
  if (socket.startsWith("/run/user/"))
    return `the socket belongs to another user: use a daemon of your own${anotherDaemon(address)}.`;
  return `join the group docker (sudo usermod -aG docker ${process.env["USER"] ?? "NAME"}), log in again and repeat the command${anotherDaemon(address)}.`;
}

/** The error for a daemon that does not answer: its address, the source of the address, and the next step. */
export function daemonProblem(error: unknown, address: DaemonAddress): Failure {
  const { endpoint, origin } = address;
  const code = (error as NodeJS.ErrnoException).code;
  if (code === "EACCES" || code === "EPERM") {
    return new Failure(`This user may not use the Docker daemon at ${endpoint} (${origin})`, {
      remedy: howToGetAccess(address),
      cause: error,
    });
  }
  return new Failure(`No Docker daemon answers at ${endpoint} (${origin}): ${messageOf(error)}`, {
    remedy: howToStart(address),
    cause: error,
  });
}

interface Modem {
  readonly socketPath?: string;
  readonly host?: string;
  readonly port?: number | string;
}

type ConnectionError = NodeJS.ErrnoException & {
  readonly address?: string;
  readonly port?: number;
  readonly hostname?: string;
};

/** Whether an error means that no connection to the Docker daemon's address was possible. */
function isOfDaemon(error: ConnectionError, { socketPath, host, port }: Modem): boolean {
  if (error.syscall === "connect") {
    return socketPath === undefined ? error.port === Number(port) : error.address === socketPath;
  }
  return error.syscall === "getaddrinfo" && error.hostname === host;
}

/** Adds the next step to an error of a connection to the Docker daemon. Returns any other error unchanged. */
export function withoutDaemon(error: unknown, address?: DaemonAddress): unknown {
  if (!(error instanceof Error) || error instanceof Failure) return error;
  const daemon = address ?? daemonAddress();
  const { modem } = new Docker(clientOptions(daemon));
  return isOfDaemon(error, modem as Modem) ? daemonProblem(error, daemon) : error;
}

/** Output of the daemon during builds, pulls and imports: a sequence of JSON objects. */
export interface DaemonMessage {
  readonly stream?: string;
  readonly status?: string;
  readonly id?: string;
  readonly error?: string;
}

/** Reads the daemon's messages to the end. @throws the daemon's message, when one reports a failure; when the connection breaks */
export async function follow(
  stream: NodeJS.ReadableStream,
  onMessage: (message: DaemonMessage) => void = () => undefined,
): Promise<readonly DaemonMessage[]> {
  const messages = await new Promise<readonly DaemonMessage[]>((resolve, reject) => {
    dockerClient().modem.followProgress(
      stream,
      (error: Error | null, all: DaemonMessage[]) => (error ? reject(error) : resolve(all)),
      onMessage,
    );
  });
  const failure = messages.find(({ error }) => error !== undefined);
  if (failure?.error !== undefined) throw new Error(failure.error.trim());
  return messages;
}
