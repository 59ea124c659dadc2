import { createServer, type IncomingMessage } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";

export interface TestProxy extends AsyncDisposable {
  readonly url: string;
  /** Hosts of the requested tunnels. */
  readonly asked: readonly string[];
}

/** An HTTP proxy as in companies: tunnels and plain requests. It rejects loopback addresses, because they would be those of another machine. */
export async function startProxy(): Promise<TestProxy> {
  const asked: string[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((request, response) => {
    asked.push(request.url ?? "");
    response.writeHead(502).end();
  });
  server.on("connection", (socket) => void sockets.add(socket).add(socket));
  server.on("connect", (request: IncomingMessage, client: Socket) => {
    const { hostname, port } = new URL(`http://${request.url}`);
    asked.push(hostname);
    client.on("error", () => undefined);
    if (["localhost", "127.0.0.1", "[::1]"].includes(hostname)) {
      client.end("HTTP/1.1 403 Forbidden\r\n\r\n");
      return;
    }
    const upstream = connect(Number(port || 443), hostname, () => {
      client.write("HTTP/1.1 200 Connection established\r\n\r\n");
      upstream.pipe(client).pipe(upstream);
    });
    sockets.add(upstream);
    upstream.on("error", () => client.end("HTTP/1.1 502 Bad Gateway\r\n\r\n"));
  });
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await new Promise<void>((resolve) => void server.close(() => resolve()));
    },
  };
}
