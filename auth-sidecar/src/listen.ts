import { once } from "node:events";
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";

/** @returns the port, chosen by the system when `port` is 0 */
export async function listen(server: Server, port: number, host?: string): Promise<number> {
  server.listen(port, host);
  await once(server, "listening");
  return (server.address() as AddressInfo).port;
}

/** Milliseconds between checks for idle connections. */
const idleInterval = 50;

/** Stops accepting, waits for running requests up to the grace period, then cuts them. */
export async function close(server: Server, graceMilliseconds: number): Promise<void> {
  const closed = once(server, "close");
  server.close();
  server.closeIdleConnections();
  // A client that keeps its idle connection would delay the end until the grace period is over.
  const idle = setInterval(() => server.closeIdleConnections(), idleInterval);
  const cut = setTimeout(() => server.closeAllConnections(), graceMilliseconds);
  await closed;
  clearInterval(idle);
  clearTimeout(cut);
}
