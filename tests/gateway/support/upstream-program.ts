/**
 * Replaces the engine and the auth sidecar behind the gateway: echoes every request, or sends a configured reply.
 * Runs inside a container. The gateway uses port 8080; the test configures replies on port 9000.
 * @module
 */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import { text } from "node:stream/consumers";
import { WebSocketServer } from "ws";

/** Reply of a path; missing fields are as in the echo. */
export interface Answer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Bytes in place of a text. */
  readonly base64?: string;
  /** Milliseconds before the answer. */
  readonly delay?: number;
  /** Without a Content-Length. */
  readonly chunked?: boolean;
  /** Break the connection instead of answering. */
  readonly hangUp?: boolean;
}

/** One request as it arrived. */
export interface Received {
  readonly method: string;
  readonly target: string;
  /** Lower-case names; repeated ones joined. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** Whether the client left before the answer was complete. */
  abandoned: boolean;
}

const answers = new Map<string, Answer>();
const received: Received[] = [];

function record(request: IncomingMessage, body: string): Received {
  const headers = Object.fromEntries(Object.entries(request.headersDistinct).map(([name, values]) => [name, (values ?? []).join(", ")]));
  const entry = { method: request.method ?? "", target: request.url ?? "", headers, body, abandoned: false };
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
  const body = answer.base64 === undefined ? Buffer.from(answer.body ?? JSON.stringify(entry)) : Buffer.from(answer.base64, "base64");
  const length = answer.chunked === true ? {} : { "content-length": String(body.length) };
  response.writeHead(answer.status ?? 200, { "content-type": "application/json", ...length, ...answer.headers });
  response.end(body);
}

async function order(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const body = await text(request);
  if (request.method === "PUT") {
    answers.clear();
    received.length = 0;
    for (const [target, answer] of Object.entries(JSON.parse(body) as Record<string, Answer>)) answers.set(target, answer);
  }
  response.end(JSON.stringify(received));
}

const sockets = new WebSocketServer({ noServer: true, handleProtocols: (offered) => [...offered][0] ?? false });

function upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
  const entry = record(request, "");
  const answer = answers.get(entry.target);
  if (answer?.status !== undefined) {
    const body = answer.body ?? "";
    socket.end(`HTTP/1.1 ${answer.status} Refused\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\nConnection: close\r\n\r\n${body}`);
    return;
  }
  sockets.handleUpgrade(request, socket, head, (client) => {
    client.send(JSON.stringify(entry));
    client.on("message", (data: Buffer) => client.send(data.toString()));
  });
}

createServer((request, response) => void serve(request, response)).on("upgrade", upgrade).listen(8080);
createServer((request, response) => void order(request, response)).listen(9000);
console.log("upstream ready");
