import type Docker from "dockerode";
import { Failure, messageOf } from "../foundation/failure.ts";
import { dockerClient } from "./client.ts";

interface Modem {
  readonly socketPath?: string;
  readonly host?: string;
  readonly port?: number | string;
}

type ConnectionError = NodeJS.ErrnoException & { readonly address?: string; readonly port?: number; readonly hostname?: string };

/** Whether an error says that nothing could be connected to where the Docker engine should be. */
function isOfEngine(error: ConnectionError, { socketPath, host, port }: Modem): boolean {
  if (error.syscall === "connect") {
    return socketPath === undefined ? error.port === Number(port) : error.address === socketPath;
  }
  return error.syscall === "getaddrinfo" && error.hostname === host;
}

/** What to say where the Docker engine cannot be reached; any other error is given back as it is. */
export function withoutEngine(error: unknown, docker: Docker = dockerClient()): unknown {
  if (!(error instanceof Error) || !isOfEngine(error, docker.modem as Modem)) return error;
  const refused = (error as ConnectionError).code === "EACCES";
  return new Failure(refused ? "The Docker engine refuses this user" : `No Docker engine answers: ${messageOf(error)}`, {
    remedy: refused
      ? "add the user to the group docker (usermod -aG docker NAME) and log in again, or run this as root."
      : "start it, or name it in DOCKER_HOST; on this machine `npm run up` brings one with the stack.",
    cause: error,
  });
}
