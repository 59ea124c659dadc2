/**
 * Replaces the engine and the auth sidecar behind the gateway: echoes every request, or sends a configured reply.
 * Runs inside a container. The gateway uses port 8080; the test configures replies on port 9000.
 */
import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { type AddressInfo, connect, createServer as createPlainServer, type Socket } from "node:net";
import type { Duplex } from "node:stream";
import { text } from "node:stream/consumers";
import { stopServer } from "@routeql/contract/stop-server";
import { WebSocketServer } from "ws";

/** Reply of a path; missing fields are as in the echo. */
export interface Answer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Body as bytes instead of a text. */
  readonly base64?: string;
  /** Delay before the answer, in milliseconds. */
  readonly delay?: number;
  /** Omit the Content-Length. */
  readonly chunked?: boolean;
  /** Break the connection instead of answering. */
  readonly hangUp?: boolean;
}

/** One received request. */
export interface Received {
  readonly method: string;
  readonly target: string;
  /** Lower-case names; repeated ones joined. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** Identifies the connection: the port of its other end. */
  readonly connection: number;
  /** Whether the client left before the answer was complete. */
  abandoned: boolean;
}

const answers = new Map<string, Answer>();
const received: Received[] = [];

function record(request: IncomingMessage, body: string): Received {
  const headers = Object.fromEntries(
    Object.entries(request.headersDistinct).map(([name, values]) => [name, (values ?? []).join(", ")]),
  );
  const entry = {
    method: request.method ?? "",
    target: request.url ?? "",
    headers,
    body,
    connection: request.socket.remotePort ?? 0,
    abandoned: false,
  };
  received.push(entry);
  return entry;
}

async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const entry = record(request, await text(request));
  response.once("close", () => (entry.abandoned = !response.writableFinished));
  const answer = answers.get(entry.target) ?? {};
  if (answer.delay !== undefined) await new Promise((resolve) => setTimeout(resolve, answer.delay));
  if (answer.hangUp === true) {
    request.socket.destroy();
    return;
  }
  const body =
    answer.base64 === undefined
      ? Buffer.from(answer.body ?? JSON.stringify(entry))
      : Buffer.from(answer.base64, "base64");
  const length = answer.chunked === true ? {} : { "content-length": String(body.length) };
  response.writeHead(answer.status ?? 200, { "content-type": "application/json", ...length, ...answer.headers });
  response.end(body);
}

async function order(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const body = await text(request);
  if (request.url === "/replace") await replace();
  else if (request.url === "/kill") await kill();
  else if (request.method === "PUT") {
    answers.clear();
    received.length = 0;
    for (const [target, answer] of Object.entries(JSON.parse(body) as Record<string, Answer>))
      answers.set(target, answer);
  }
  response.end(JSON.stringify(received));
}

const sockets = new WebSocketServer({ noServer: true, handleProtocols: (offered) => [...offered][0] ?? false });

function upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
  const entry = record(request, "");
  const answer = answers.get(entry.target);
  if (answer?.status !== undefined) {
    const body = answer.body ?? "";
    socket.end(
      `HTTP/1.1 ${answer.status} Refused\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\nConnection: close\r\n\r\n${body}`,
    );
    return;
  }
  sockets.handleUpgrade(request, socket, head, (client) => {
    client.send(JSON.stringify(entry));
    client.on("message", (data: Buffer) => client.send(data.toString()));
  });
}

/** A server on its own port, like a pod. */
interface Serving {
  readonly server: Server;
  /** The gateway's connections that are forwarded to the server. */
  readonly forwarded: Set<Socket>;
  /** Connections on their way to the server. It accepts them before it stops, as a pod does that has left its Service. */
  arriving: number;
}

async function start(): Promise<Serving> {
  const server = createServer({ keepAliveTimeout: 75_000 }, (request, response) => void serve(request, response)).on(
    "upgrade",
    upgrade,
  );
  await once(server.listen(0, "127.0.0.1"), "listening");
  const started: Serving = { server, forwarded: new Set(), arriving: 0 };
  server.on("connection", () => (started.arriving -= 1));
  return started;
}

let serving = await start();

/** Starts a successor for new connections and stops the former server in order. */
async function replace(): Promise<void> {
  const former = serving;
  serving = await start();
  while (former.arriving > 0) await once(former.server, "connection");
  await stopServer(former.server, 10_000);
}

/** Starts a successor and breaks all connections to the former server. */
async function kill(): Promise<void> {
  const former = serving;
  serving = await start();
  // All in one turn, as a kernel does for a killed process: a client whose request failed must not meet a connection that is broken later.
  for (const client of former.forwarded) client.destroy();
  former.server.close();
  former.server.closeAllConnections();
}

// Like a cluster's Service: a stable address that forwards each new connection to the current server.
createPlainServer((client) => {
  const { forwarded } = serving;
  forwarded.add(client);
  client.once("close", () => forwarded.delete(client));
  serving.arriving += 1;
  const server = connect((serving.server.address() as AddressInfo).port, "127.0.0.1");
  for (const [from, to] of [
    [client, server],
    [server, client],
  ] as const) {
    from.on("error", () => to.destroy()).on("close", () => to.destroy());
    from.pipe(to);
    from.setNoDelay(true);
  }
}).listen(8080);
createServer((request, response) => void order(request, response)).listen(9000);
console.log("upstream ready");
