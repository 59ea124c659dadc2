import { once } from "node:events";
import { connect as connectHttp2 } from "node:http2";
import { connect, createSecureContext, type TLSSocket } from "node:tls";
import { afterEach, beforeEach, expect, test } from "vitest";
import { gatewayMemoryMegabytes } from "@routeql/infra/services/gateway";
import { openSocket } from "./support/socket.ts";
import { startGatewayParts, type GatewayParts } from "./support/gateway-parts.ts";

/** Connections of a measurement: enough to hide what a worker needs anyway, few enough for the limit of one address. */
const count = 400;

/** Part of the memory that connections may take; the rest is for replies, caches and the files in /tmp. */
const share = 0.9;

let parts: GatewayParts;
// nginx keeps the memory of closed connections, so each test has a new gateway.
beforeEach(async () => void (parts = await startGatewayParts()));
afterEach(() => parts?.[Symbol.asyncDispose]());

/** Memory of all nginx processes without that of files, in KiB. */
async function residentKilobytes(): Promise<number> {
  const { output } = await parts.gateway.exec([
    "sh",
    "-c",
    "grep -h -A99 '^Name:.nginx' /proc/[0-9]*/status | grep '^RssAnon:'",
  ]);
  const all = [...output.matchAll(/^RssAnon:\s+(\d+) kB/gm)].map(([, size]) => Number(size));
  expect(all.length).toBeGreaterThan(1);
  return all.reduce((sum, size) => sum + size, 0);
}

/** Connections that all workers accept together. */
async function mostConnections(): Promise<number> {
  const { output } = await parts.gateway.exec(["sh", "-c", "cat /tmp/workers.conf /tmp/connections.conf"]);
  const [workers, connections] = [/worker_processes (\d+);/, /worker_connections (\d+);/].map((form) =>
    Number(form.exec(output)?.[1]),
  );
  return (workers as number) * (connections as number);
}

test("as many idle connections as nginx accepts fit into the container's memory", async () => {
  const before = await residentKilobytes();
  const secureContext = createSecureContext({ ca: parts.gateway.certificate.certificate });
  const sockets: TLSSocket[] = [];
  for (let index = 0; index < count; index += 1) {
    const socket = connect({
      host: parts.gateway.getHost(),
      port: parts.gateway.port("api"),
      servername: "localhost",
      secureContext,
    });
    sockets.push(socket);
    await once(socket, "secureConnect");
  }
  const each = ((await residentKilobytes()) - before) / count;
  for (const socket of sockets) socket.destroy();
  expect(each).toBeGreaterThan(0);
  expect(each * (await mostConnections())).toBeLessThan(share * gatewayMemoryMegabytes * 1024);
});

/** Connections of one client that take no reply; enough for a client that opens no more than a firewall lets one address open. */
const stalledConnections = 2_000;

test("connections with HTTP/2 replies that the client does not take fit into the memory", async () => {
  const before = await residentKilobytes();
  const sessions = [];
  for (let index = 0; index < 100; index += 1) {
    const session = connectHttp2(`https://${parts.gateway.getHost()}:${parts.gateway.port("api")}`, {
      ca: parts.gateway.certificate.certificate,
      servername: "localhost",
      settings: { initialWindowSize: 0 },
    });
    sessions.push(session);
    session.on("error", () => undefined);
    // The gateway's settings come first: streams beyond its limit wait in the client.
    await once(session, "remoteSettings");
    const streams = Array.from({ length: 128 }, () => session.request({ ":path": "/nothing" }));
    for (const stream of streams) stream.on("error", () => undefined);
    await once(streams[0]!, "response");
  }
  const each = ((await residentKilobytes()) - before) / sessions.length;
  for (const session of sessions) session.destroy();
  expect(each).toBeGreaterThan(0);
  expect(each * stalledConnections).toBeLessThan(share * gatewayMemoryMegabytes * 1024);
});

test("as many WebSockets as nginx accepts fit into the container's memory", async () => {
  // A token of usual length needs one of the large header buffers.
  const headers = { authorization: `Bearer ${"a".repeat(2000)}` };
  const before = await residentKilobytes();
  const sockets = [];
  for (let index = 0; index < count; index += 1) {
    const socket = openSocket(parts.gateway, { protocols: ["graphql-transport-ws"], headers });
    sockets.push(socket);
    await once(socket, "message");
    socket.send("b".repeat(4000));
    await once(socket, "message");
  }
  const each = ((await residentKilobytes()) - before) / count;
  for (const socket of sockets) socket.terminate();
  expect(each).toBeGreaterThan(0);
  // nginx counts the connection to the engine too.
  expect((each * (await mostConnections())) / 2).toBeLessThan(share * gatewayMemoryMegabytes * 1024);
});
