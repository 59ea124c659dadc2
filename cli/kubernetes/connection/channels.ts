/** A connection to a pod: numbered channels over one WebSocket. Kubernetes' own client buffers without limit for a slow side. */
import { Writable } from "node:stream";
import type { IncomingMessage } from "node:http";
import type { KubeConfig } from "@kubernetes/client-node";
import { type ClientOptions, WebSocket } from "ws";
import { ApiError, authorize } from "@routeql/host/kubernetes/client";
import { messageOf } from "@routeql/host/failure";
import { connectionFailure, connectionLost } from "./connection-error.ts";

/** The first protocol (Kubernetes 1.30 and later) can signal the end of a channel. */
const protocols = ["v5.channel.k8s.io", "v4.channel.k8s.io"];
const closing = 255;

/** Keeps middleboxes from closing a connection that is silent while Postgres works, and lets TCP detect a dead peer. */
const pingMilliseconds = 20_000;

/** Request path for a pod, relative to the API server's address. */
export interface PodRequest {
  readonly pod: string;
  readonly namespace: string;
  readonly what: "exec" | "portforward";
  readonly query: URLSearchParams;
}

/** Receives incoming data, possibly before `open` has returned the connection. */
export type OnData = (channel: number, payload: Buffer, channels: Channels) => void;

export class Channels {
  /** Rejects when the connection is lost or the other side closes it. */
  readonly lost: Promise<never>;
  readonly #socket: WebSocket;
  readonly #pings: NodeJS.Timeout;

  private constructor(socket: WebSocket, pod: string, onData: OnData) {
    this.#socket = socket;
    this.#pings = setInterval(() => socket.ping(), pingMilliseconds);
    const { promise, reject } = Promise.withResolvers<never>();
    this.lost = promise;
    promise.catch(() => undefined);
    socket.on("message", (data) => {
      const message = data as Buffer;
      if (message.length > 0) onData(message[0]!, message.subarray(1), this);
    });
    socket.on("error", (error) => reject(connectionLost(pod, messageOf(error))));
    socket.on("close", () => {
      clearInterval(this.#pings);
      reject(connectionLost(pod));
    });
  }

  /** @throws Failure with the reason: a missing permission, or an API server that does not answer */
  static async open(config: KubeConfig, request: PodRequest, onData: OnData): Promise<Channels> {
    const { pod, namespace, what, query } = request;
    const url = new URL(
      `${config.getCurrentCluster()!.server.replace(/^http/, "ws").replace(/\/$/, "")}/api/v1/namespaces/${namespace}/pods/${pod}/${what}`,
    );
    url.search = query.toString();
    const options: ClientOptions = { perMessageDeflate: false };
    await authorize(config, options);
    const socket = new WebSocket(url, protocols, options);
    try {
      return await new Promise<Channels>((resolve, reject) => {
        socket.once("open", () => resolve(new Channels(socket, pod, onData)));
        socket.once("error", reject);
        socket.once("unexpected-response", (_request, response) => void refusalOf(response).then(reject));
      });
    } catch (error) {
      socket.terminate();
      throw connectionFailure(request, error);
    }
  }

  /** Whether `writable` can signal the end of its channel to the other side. */
  get canEnd(): boolean {
    return this.#socket.protocol === protocols[0];
  }

  /** Calls back when the chunk has left this process. */
  send(channel: number, payload: Buffer, done?: (error?: Error | null) => void): void {
    this.#socket.send(Buffer.concat([Buffer.of(channel), payload]), done);
  }

  /** A channel as a stream with the connection's back-pressure. Ending the stream ends the channel. */
  writable(channel: number): Writable {
    return new Writable({
      write: (chunk: Buffer, _encoding, done) => this.send(channel, chunk, done),
      final: (done) => this.send(closing, Buffer.of(channel), done),
    });
  }

  /** Stops reading from the connection until `resume`, so the pod has to wait. */
  pause(): void {
    this.#socket.pause();
  }

  resume(): void {
    this.#socket.resume();
  }

  /** Closes after all pending data was sent. */
  close(): void {
    // A paused socket would never receive the close frame of the other side.
    this.#socket.resume();
    this.#socket.close();
  }

  /** Closes immediately. */
  cut(): void {
    this.#socket.terminate();
  }
}

/** Response of the API server when it refuses to open the connection. */
async function refusalOf(response: IncomingMessage): Promise<ApiError> {
  const chunks: Buffer[] = [];
  try {
    for await (const chunk of response) chunks.push(chunk as Buffer);
  } catch {
    // the status alone is enough
  }
  return new ApiError(response.statusCode ?? 0, Buffer.concat(chunks).toString("utf8"));
}
