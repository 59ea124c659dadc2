import { once } from "node:events";
import type { Environment } from "@routeql/contract/environment";
import { expect } from "vitest";
import { WebSocket } from "ws";
import { type FakeBehaviour, type ServedFake, serveFake } from "./served-engine.ts";

export interface Frame {
  readonly type: string;
  readonly id?: string;
  readonly payload?: unknown;
}

/** A client on the level of frames: it sees exactly the frames of the server, in order. */
export class SocketClient {
  readonly socket: WebSocket;
  readonly closed: Promise<{ code: number; reason: string }>;
  readonly #frames: Frame[] = [];
  readonly #texts: string[] = [];
  #arrived: () => void = () => undefined;

  constructor(url: string, protocol: string | undefined, headers: Readonly<Record<string, string>> = {}) {
    this.socket = new WebSocket(url, protocol, { headers });
    this.closed = once(this.socket, "close").then(([code, reason]) => ({
      code: code as number,
      reason: String(reason),
    }));
    this.socket.on("message", (data: Buffer) => {
      this.#texts.push(data.toString());
      this.#frames.push(JSON.parse(data.toString()) as Frame);
      this.#arrived();
    });
    // `opened` reports a rejected upgrade; `closed` reports a reset connection.
    this.socket.on("error", () => undefined);
  }

  async opened(): Promise<this> {
    if (this.socket.readyState !== this.socket.OPEN) await once(this.socket, "open");
    return this;
  }

  send(frame: object | string): void {
    this.socket.send(typeof frame === "string" ? frame : JSON.stringify(frame));
  }

  /** The next frame that is not a keep-alive. */
  async next(): Promise<Frame> {
    for (;;) {
      const frame = await this.nextOfAny();
      if (frame.type !== "ka" && frame.type !== "ping") return frame;
    }
  }

  async nextOfAny(): Promise<Frame> {
    while (this.#frames.length === 0) {
      await new Promise<void>((arrived) => {
        this.#arrived = arrived;
      });
    }
    return this.#frames.shift() as Frame;
  }

  /** Number of received frames that were not read yet. */
  get waiting(): number {
    return this.#frames.length;
  }

  /** Texts of all frames so far. */
  get texts(): readonly string[] {
    return this.#texts;
  }
}

export interface Connected extends AsyncDisposable {
  readonly server: ServedFake;
  readonly client: SocketClient;
}

export interface Protocol {
  /** Name of the WebSocket subprotocol. */
  readonly name: string;
  /** The message that opens the session. */
  readonly init: object;
}

/** A served fake engine and a client of the protocol with an open socket. */
export async function connectClient(
  { name }: Protocol,
  behaviour: FakeBehaviour,
  environment: Environment,
): Promise<Connected> {
  const server = await serveFake(behaviour, environment);
  const client = await new SocketClient(server.webSocketUrl, name).opened();
  return { server, client, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() };
}

/** The same, after the acknowledgement of connection_init. */
export async function initialiseClient(
  protocol: Protocol,
  behaviour: FakeBehaviour,
  environment: Environment,
): Promise<Connected> {
  const connected = await connectClient(protocol, behaviour, environment);
  connected.client.send(protocol.init);
  expect(await connected.client.next()).toEqual({ type: "connection_ack" });
  return connected;
}
