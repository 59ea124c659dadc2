import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { pino } from "pino";
import { WebSocketServer } from "ws";
import { authenticatorOf, serve } from "../serve.ts";
import { readSettings } from "../../settings/settings.ts";
import { testSettings } from "./served-engine.ts";
import { forwardedAdministration } from "../../executors/hasura/administration.ts";
import { createHasuraExecutor } from "../../executors/hasura/hasura.ts";

export interface Asked {
  /** Port of the connection on which it came. */
  readonly port?: number | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly body: { readonly query: string; readonly variables?: unknown };
}

/** The front before a server that answers like Hasura, for tests. */
export async function serveBeforeFake(answer: (asked: Asked) => string | Promise<string>, environment = {}) {
  const asked: Asked[] = [];
  const frames: { type: string; id?: string; payload?: unknown }[] = [];
  const health = { status: 200 };
  const hasura = createServer((request, response) => {
    void (async () => {
      if (request.url === "/healthz") {
        response.writeHead(health.status).end();
        return;
      }
      const body = JSON.parse(await text(request)) as Asked["body"];
      const one = { port: request.socket.remotePort, headers: request.headers, body };
      asked.push(one);
      const reply = await answer(one);
      if (reply === "break off") {
        response.setHeader("content-length", 100_000).write('{"data":'.padEnd(20_000));
        setTimeout(() => request.socket.destroy(), 50);
        return;
      }
      response.setHeader("content-type", "application/json; charset=utf-8").end(reply);
    })().catch(() => request.socket.destroy());
  });
  const sockets = new WebSocketServer({ server: hasura });
  sockets.on("connection", (socket) =>
    socket.on("message", (data: Buffer) => {
      const frame = JSON.parse(data.toString()) as (typeof frames)[number];
      frames.push(frame);
      if (frame.type === "connection_init") socket.send('{"type":"connection_ack"}');
      if (frame.type !== "subscribe") return;
      void (async () => {
        const reply = await answer({ headers: {}, body: frame.payload as Asked["body"] });
        const type = reply.startsWith("[") ? "error" : "next";
        socket.send(`{"type":"${type}","id":"${frame.id}","payload":${reply}}`);
      })();
    }),
  );
  await new Promise<void>((listening) => hasura.listen(0, "127.0.0.1", listening));
  const settings = readSettings({ ...testSettings, ...environment });
  const logger = pino({ level: "silent" });
  const address = `http://127.0.0.1:${(hasura.address() as AddressInfo).port}`;
  const front = await serve({
    settings,
    createExecutor: () => createHasuraExecutor(settings, address),
    administration: forwardedAdministration(address, settings.upstreamSecret),
    authenticator: await authenticatorOf(settings, logger),
    logger,
    quiet: 0,
  });
  const own = `127.0.0.1:${front.port}`;
  return {
    asked,
    frames,
    /** Status of the fake's health check. */
    health,
    url: `http://${own}`,
    webSocketUrl: `ws://${own}/v1/graphql`,
    metricsUrl: `http://127.0.0.1:${front.metricsPort}/metrics`,
    /** Ends every socket, as a restart does. */
    restart: () => sockets.clients.forEach((socket) => socket.terminate()),
    async [Symbol.asyncDispose]() {
      await front.stop();
      hasura.closeAllConnections();
      hasura.close();
    },
  };
}
