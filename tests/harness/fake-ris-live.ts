import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { type WebSocket, WebSocketServer } from "ws";

/** A server that speaks like RIS Live, and sends the updates of a test. */
export class FakeRisLive implements AsyncDisposable {
  private readonly server: WebSocketServer;
  readonly subscriptions: unknown[] = [];
  private number = 0;

  static async start(host = "127.0.0.1"): Promise<FakeRisLive> {
    const server = new WebSocketServer({ port: 0, host });
    await once(server, "listening");
    return new FakeRisLive(server);
  }

  private constructor(server: WebSocketServer) {
    this.server = server;
    server.on("connection", (socket) => {
      socket.on("message", (data: Buffer) => {
        const message = JSON.parse(data.toString()) as { type: string; data: unknown };
        if (message.type === "ris_subscribe") this.subscriptions.push(message.data);
        if (message.type === "ping") socket.send('{"type":"pong","data":null}');
      });
    });
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  get url(): string {
    return `ws://127.0.0.1:${this.port}`;
  }

  get sockets(): readonly WebSocket[] {
    return [...this.server.clients];
  }

  /** @param seconds time of the update; `copies` arrive at once, as of several subscriptions */
  send(seconds: number, { copies = 1, prefix = "198.51.100.0/24", id = `${(this.number += 1)}` } = {}): void {
    const data = {
      timestamp: seconds,
      peer: "192.0.2.1",
      peer_asn: "64496",
      id,
      host: "rrc00.ripe.net",
      type: "UPDATE",
      path: [64_496, 64_500],
      announcements: ["192.0.2.1", "192.0.2.2"].map((next_hop) => ({ next_hop, prefixes: [prefix] })),
      withdrawals: [],
    };
    const text = JSON.stringify({ type: "ris_message", data });
    for (const socket of this.server.clients) for (let copy = 0; copy < copies; copy += 1) socket.send(text);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const client of this.server.clients) client.terminate();
    this.server.close();
  }
}
