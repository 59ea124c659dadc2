import { connect as connectHttp2 } from "node:http2";
import { setTimeout as sleep } from "node:timers/promises";
import { WebSocket } from "ws";
import { call } from "../../e2e/support/clients/http.ts";
import { stack } from "../../e2e/support/stack/stack.ts";
import { open } from "../support/raw.ts";
import { document, type Genes, type Request } from "./grammar.ts";

/** Maximum bytes of one message. The gateway accepts bodies of 256 KiB. */
const largest = 262_000;

/** Time limit of a carrier in milliseconds; afterwards the client disconnects. */
const patience = 20_000;

const json = (value: unknown): string => JSON.stringify(value);
const fitting = (request: Request): Request =>
  json(request).length <= largest ? request : { query: request.query.slice(0, largest / 2) };

/** Sends a request by its carrier. Resolves with the number of sent bytes when all replies have arrived, or the request was rejected or cancelled. */
export async function send(genes: Genes, token: string): Promise<number> {
  const request = fitting(document(genes, genes.carrier === "subscriptions" ? "subscription" : "query"));
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  const url = "/api/graphql";
  switch (genes.carrier) {
    case "query": {
      const body = json(request);
      await within(call(url, { method: "POST", headers, body }));
      return body.length;
    }
    case "batch": {
      const one = json(request);
      const count = Math.max(1, Math.min(genes.count, 50, Math.floor(largest / one.length)));
      const body = `[${Array.from({ length: count }, () => one).join(",")}]`;
      await within(call(url, { method: "POST", headers, body }));
      return body.length;
    }
    case "half-open": {
      const sockets = Array.from({ length: genes.count }, () => open());
      const head = `POST ${url} HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: ${largest}\r\nauthorization: Bearer ${token}\r\n\r\n{"query":"`;
      for (const socket of sockets) {
        socket.on("error", () => undefined);
        socket.write(head);
      }
      await sleep(1_000);
      for (const socket of sockets) socket.destroy();
      return head.length * sockets.length;
    }
    case "http2":
      return within(overHttp2(json(request), headers, genes.count));
    default:
      return within(overSockets(genes, request, token));
  }
}

async function within<Result>(work: Promise<Result>): Promise<Result | 0> {
  return Promise.race([work.catch(() => 0 as const), sleep(patience, 0 as const, { ref: false })]);
}

/** Many concurrent requests on one connection; the client cancels half of them. */
async function overHttp2(body: string, headers: Readonly<Record<string, string>>, count: number): Promise<number> {
  const session = connectHttp2(stack.url, { ca: stack.caCertificate });
  session.on("error", () => undefined);
  const streams = Array.from({ length: count }, (_item, index) => {
    const stream = session.request({ ":method": "POST", ":path": "/api/graphql", ...headers });
    const { promise, resolve } = Promise.withResolvers<void>();
    stream.on("error", () => resolve());
    stream.on("close", () => resolve());
    stream.resume();
    stream.end(body);
    if (index % 2 === 1) setTimeout(() => stream.close(8), 50);
    return promise;
  });
  await Promise.race([Promise.all(streams), sleep(patience, undefined, { ref: false })]);
  session.destroy();
  return body.length * count;
}

/** Operations on one WebSocket; a slow reader stops reading after its requests. */
async function overSockets({ carrier, count }: Genes, request: Request, token: string): Promise<number> {
  const socket = new WebSocket(`${stack.url.replace("https:", "wss:")}/api/graphql`, "graphql-transport-ws", {
    ca: stack.caCertificate,
  });
  const { promise: over, resolve: end } = Promise.withResolvers<void>();
  let sent = 0;
  let answered = 0;
  const write = (message: object): void => {
    const text = json(message);
    sent += text.length;
    socket.send(text);
  };
  socket.on("error", () => end());
  socket.on("close", () => end());
  socket.on("open", () =>
    write({ type: "connection_init", payload: { headers: { authorization: `Bearer ${token}` } } }),
  );
  socket.on("message", (data: Buffer) => {
    const { type } = JSON.parse(data.toString()) as { type: string };
    if (type === "connection_ack") {
      for (let id = 0; id < count; id += 1) write({ type: "subscribe", id: String(id), payload: request });
      if (carrier === "slow reader") {
        socket.pause();
        setTimeout(end, 5_000);
      }
    } else if (type === "error" || type === "next" || type === "complete") answered += 1;
    if (answered >= count) setTimeout(end, carrier === "subscriptions" ? 3_000 : 0);
  });
  await Promise.race([over, sleep(patience, undefined, { ref: false })]);
  socket.terminate();
  return sent;
}
