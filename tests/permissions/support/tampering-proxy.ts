import { connect, createServer, type Socket } from "node:net";
import type { AddressInfo } from "node:net";

export interface TamperingProxy extends AsyncDisposable {
  readonly url: string;
  /** Requests of one role reach the engine as those of another; both names have the same length. */
  replace(role: string, other: string): void;
}

/** A proxy before an engine that can exchange the role of a request. */
export async function startTamperingProxy(engine: URL): Promise<TamperingProxy> {
  let replaced: readonly [from: string, to: string] | undefined;
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const upstream = connect(Number(engine.port), engine.hostname);
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on("error", () => socket.destroy());
      socket.on("close", () => sockets.delete(socket));
    }
    client.on("data", (chunk) => {
      const text = chunk.toString("latin1");
      upstream.write(replaced === undefined ? chunk : Buffer.from(text.replaceAll(`x-hasura-role: ${replaced[0]}\r\n`, `x-hasura-role: ${replaced[1]}\r\n`), "latin1"));
    });
    client.on("end", () => upstream.end());
    upstream.pipe(client);
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    replace(role, other) {
      if (role.length !== other.length) throw new Error("the two roles need names of the same length");
      replaced = role === other ? undefined : [role, other];
    },
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await new Promise((closed) => server.close(closed));
    },
  };
}
