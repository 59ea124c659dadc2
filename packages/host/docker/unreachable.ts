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

type ConnectionError = NodeJS.ErrnoException & { readonly address?: string; readonly port?: number; readonly hostname?: string };

/** Whether an error says that nothing could be connected to where the Docker engine should be. */
function isOfEngine(error: ConnectionError, { socketPath, host, port }: Modem): boolean {
  if (error.syscall === "connect") {
    return socketPath === undefined ? error.port === Number(port) : error.address === socketPath;
  }
  return error.syscall === "getaddrinfo" && error.hostname === host;
}

/** An error of a connection to the Docker engine, with the next step; any other error is given back as it is. */
export function withoutEngine(error: unknown, address?: EngineAddress): unknown {
  if (!(error instanceof Error) || error instanceof Failure) return error;
  const engine = address ?? engineAddress();
  const { modem } = new Docker(clientOptions(engine));
  return isOfEngine(error, modem as Modem) ? engineProblem(error, engine) : error;
}
