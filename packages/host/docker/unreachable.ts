import Docker from "dockerode";
import { Failure } from "../failure.ts";
import { clientOptions } from "./client.ts";
import { type EngineAddress, engineAddress } from "./engine-address.ts";
import { engineProblem } from "./engine-problem.ts";

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

/** Whether an error means that no connection to the Docker engine's address was possible. */
function isOfEngine(error: ConnectionError, { socketPath, host, port }: Modem): boolean {
  if (error.syscall === "connect") {
    return socketPath === undefined ? error.port === Number(port) : error.address === socketPath;
  }
  return error.syscall === "getaddrinfo" && error.hostname === host;
}

/** Adds the next step to an error of a connection to the Docker engine. Returns any other error unchanged. */
export function withoutEngine(error: unknown, address?: EngineAddress): unknown {
  if (!(error instanceof Error) || error instanceof Failure) return error;
  const engine = address ?? engineAddress();
  const { modem } = new Docker(clientOptions(engine));
  return isOfEngine(error, modem as Modem) ? engineProblem(error, engine) : error;
}
