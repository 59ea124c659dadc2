import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";

/** `pass` forwards; `reset` resets connections; `hang` accepts connections and bytes and returns nothing; a number is a delay in milliseconds. */
export type Toxic = "pass" | "reset" | "hang" | number;

/** A TCP proxy with configurable faults: `await using proxy = await ToxicProxy.to(host, port)`. */
export class ToxicProxy implements AsyncDisposable {
  toxic: Toxic = "pass";
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();

  private constructor(host: string, port: number) {
    this.#server = createServer((client) => {
      if (this.toxic === "reset") {
        client.resetAndDestroy();
        return;
      }
      const upstream = connect(port, host);
      this.#pipe(client, upstream);
      this.#pipe(upstream, client);
    });
  }

  /** `address`: address of this machine for the callers. */
  static async to(host: string, port: number, address = "127.0.0.1"): Promise<ToxicProxy> {
    const proxy = new ToxicProxy(host, port);
    proxy.#server.listen(0, address);
    await once(proxy.#server, "listening");
    return proxy;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** `url` with this proxy's host and port. */
  through(url: string): string {
    const changed = new URL(url);
    changed.hostname = "127.0.0.1";
    changed.port = String(this.port);
    return changed.href;
  }

  /** Changes the behaviour; `reset` also resets the open connections. */
  set(toxic: Toxic): void {
    this.toxic = toxic;
    if (toxic === "reset") for (const socket of this.#sockets) socket.resetAndDestroy();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    this.#server.close();
    await once(this.#server, "close");
  }

  #pipe(from: Socket, to: Socket): void {
    this.#sockets.add(from);
    from.on("error", () => to.destroy());
    from.on("close", () => {
      this.#sockets.delete(from);
      to.destroy();
    });
    from.on("data", (chunk) => {
      if (this.toxic === "hang") return;
      if (typeof this.toxic === "number") setTimeout(() => to.write(chunk), this.toxic);
      else to.write(chunk);
    });
  }
}
