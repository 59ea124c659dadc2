import { once } from "node:events";
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";

/** @returns the port, chosen by the system when `port` is 0 */
export async function listen(server: Server, port: number, host?: string): Promise<number> {
  server.listen(port, host);
  await once(server, "listening");
  return (server.address() as AddressInfo).port;
}
