import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";

/**
 * One address with several replicas, like a Kubernetes Service. Each connection goes to the next replica in turn, or to the one after
 * it if that replica refuses. A connection keeps its replica, and breaks when the replica dies.
 */
export class Balancer implements AsyncDisposable {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  /** Open connections to each replica, by its port. */
  readonly #standing = new Map<number, Set<Socket>>();
  #turn = 0;

  private constructor(ports: readonly number[]) {
    this.#server = createServer((client) => void this.#serve(client, ports));
  }

  /** @param ports of the replicas, on this machine */
  static async before(...ports: readonly number[]): Promise<Balancer> {
    const balancer = new Balancer(ports);
    balancer.#server.listen(0, "127.0.0.1");
    await once(balancer.#server, "listening");
    return balancer;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Number of open connections to the replica on this port. */
  standing(port: number): number {
    return this.#standing.get(port)?.size ?? 0;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    this.#server.close();
    await once(this.#server, "close");
  }

  async #serve(client: Socket, ports: readonly number[]): Promise<void> {
    client.pause().on("error", () => client.destroy());
    const turn = this.#turn++;
    for (let attempt = 0; attempt < ports.length; attempt++) {
      const port = ports[(turn + attempt) % ports.length]!;
      const upstream = connect(port, "127.0.0.1");
      try {
        await once(upstream, "connect");
        this.#count(port, upstream);
        this.#join(client, upstream);
        return;
      } catch {
        upstream.destroy();
      }
    }
    client.resetAndDestroy();
  }

  #count(port: number, upstream: Socket): void {
    const standing = this.#standing.get(port) ?? new Set();
    this.#standing.set(port, standing.add(upstream));
    upstream.once("close", () => standing.delete(upstream));
  }

  #join(client: Socket, upstream: Socket): void {
    for (const [from, to] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      this.#sockets.add(from);
      from.on("error", () => to.destroy());
      from.on("close", () => {
        this.#sockets.delete(from);
        to.destroy();
      });
      from.pipe(to);
    }
  }
}
