import { byTurn } from "@routeql/contract/log-lines";
import { pino, type DestinationStream } from "pino";

/**
 * Standard output. If it cannot be written, for example on a full disk, up to 1 MiB of lines is buffered and further lines are lost; the service
 * continues.
 */
export function standardOutput(): DestinationStream {
  const stream = pino.destination({ dest: 1, sync: true, maxLength: 1024 * 1024 });
  stream.on("error", () => undefined);
  const destination = byTurn(stream);
  process.on("exit", () => destination.flushSync());
  return destination;
}
