import { createServer, request, type IncomingMessage } from "node:http";
import { connect, type AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";

export interface TamperingProxy extends AsyncDisposable {
  readonly url: string;
  /**
   * Forwards the requests of one role as those of another.
   * @param hidden whether introspection still answers for the first role
   */
  replace(role: string, other: string, hidden?: boolean): void;
}

/** A proxy before an engine that can exchange the role of a request. */
export async function startTamperingProxy(engine: URL): Promise<TamperingProxy> {
  let replaced: { readonly from: string; readonly to: string; readonly hidden: boolean } | undefined;
  const roleOf = ({ headers }: IncomingMessage, body: string) => {
    const role = String(headers["x-hasura-role"]);
    return role !== replaced?.from || (replaced.hidden && body.includes("__schema")) ? role : replaced.to;
  };
  const server = createServer((incoming, outgoing) => {
    void (async () => {
      const body = await buffer(incoming);
      const { host: _host, ...headers } = incoming.headers;
      const upstream = request(
        new URL(incoming.url ?? "/", engine),
        {
          method: incoming.method ?? "POST",
          headers: { ...headers, "x-hasura-role": roleOf(incoming, body.toString()) },
        },
        (answer) => {
          outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
          answer.pipe(outgoing);
        },
      );
      upstream.on("error", () => outgoing.destroy());
      upstream.end(body);
    })();
  });
  // The role of a WebSocket is in its first message, which passes unchanged.
  server.on("upgrade", (incoming, client, head) => {
    const upstream = connect(Number(engine.port), engine.hostname);
    for (const [one, other] of [
      [client, upstream],
      [upstream, client],
    ] as const)
      one.on("error", () => other.destroy()).on("close", () => other.destroy());
    upstream.write(
      `${incoming.method ?? "GET"} ${incoming.url ?? "/"} HTTP/1.1\r\n${Object.entries(incoming.headers)
        .map(([name, value]) => `${name}: ${String(value)}\r\n`)
        .join("")}\r\n`,
    );
    upstream.write(head);
    upstream.pipe(client).pipe(upstream);
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    replace(from, to, hidden = false) {
      replaced = from === to ? undefined : { from, to, hidden };
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((closed) => server.close(closed));
    },
  };
}
