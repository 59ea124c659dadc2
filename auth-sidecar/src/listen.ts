import { once } from "node:events";
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";

/** @returns the port, chosen by the system when `port` is 0 */
export async function listen(server: Server, port: number, host?: string): Promise<number> {
  server.listen(port, host);
  await once(server, "listening");
  return (server.address() as AddressInfo).port;
}

/** Milliseconds between looks for connections that have become idle. */
const idleInterval = 50;

/** Stops accepting, lets running requests end for so long, then cuts them. */
export async function close(server: Server, graceMilliseconds: number): Promise<void> {
  const closed = once(server, "close");
  server.close();
  server.closeIdleConnections();
  // A client that keeps its connection would hold the end up until the grace is over, long after its last answer.
  const idle = setInterval(() => server.closeIdleConnections(), idleInterval);
  const cut = setTimeout(() => server.closeAllConnections(), graceMilliseconds);
  await closed;
  clearInterval(idle);
  clearTimeout(cut);
}
