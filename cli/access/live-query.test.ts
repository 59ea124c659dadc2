import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type WebSocket, WebSocketServer } from "ws";
import { followLiveQuery, isSubscription } from "./live-query.ts";

let folder = "";
let server: WebSocketServer;
let received: unknown[];
/** What the server does after a subscription began. */
let serve: (client: WebSocket) => void;
const answers: unknown[] = [];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "routeql-live-query-"));
  await writeFile(join(folder, "ca.pem"), "");
  answers.length = 0;
  received = [];
  server = new WebSocketServer({ port: 0, host: "127.0.0.1", path: "/api/graphql" });
  server.on("connection", (client) => {
    client.on("message", (data: Buffer) => {
      const message = JSON.parse(data.toString()) as { type: string };
      received.push(message);
      if (message.type === "connection_init") client.send('{"type":"connection_ack"}');
      if (message.type === "subscribe") serve(client);
    });
  });
  await once(server, "listening");
});
afterEach(async () => {
  for (const client of server.clients) client.terminate();
  server.close();
  await rm(folder, { recursive: true });
});

const next = (value: number): string => JSON.stringify({ type: "next", id: "1", payload: { data: { value } } });

function follow(signal = new AbortController().signal): Promise<boolean> {
  const access = { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, caFile: join(folder, "ca.pem") };
  return followLiveQuery(
    access,
    "a token",
    { query: "subscription { value }" },
    (answer) => answers.push(answer),
    signal,
  );
}

test("prints each answer until the signal aborts", async () => {
  const controller = new AbortController();
  serve = (client) => {
    for (const value of [1, 2]) client.send(next(value));
    client.send('{"type":"ping"}');
  };
  const followed = follow(controller.signal);
  await expect.poll(() => received).toContainEqual({ type: "pong" });
  controller.abort();
  expect(await followed).toBe(false);
  expect(answers).toEqual([{ data: { value: 1 } }, { data: { value: 2 } }]);
  expect(received.slice(0, 2)).toEqual([
    { type: "connection_init", payload: { headers: { Authorization: "Bearer a token" } } },
    { type: "subscribe", id: "1", payload: { query: "subscription { value }" } },
  ]);
});

test("passes on the errors of a rejected subscription", async () => {
  serve = (client) => client.send('{"type":"error","id":"1","payload":[{"message":"no"}]}');
  expect(await follow()).toBe(true);
  expect(answers).toEqual([{ errors: [{ message: "no" }] }]);
});

test("fails with the reason when the connection ends", async () => {
  serve = (client) => client.close(4403, "the token has expired");
  await expect(follow()).rejects.toThrow("The subscription ended: the token has expired (4403)");
});

test("fails for a message that is none of the protocol", async () => {
  serve = (client) => client.send("[]");
  await expect(follow()).rejects.toThrow("The subscription ended: ");
});

test("recognises a subscription by its answer over HTTP", () => {
  const refused = { errors: [{ message: "subscriptions are not supported over HTTP, use websockets instead" }] };
  expect([refused, { errors: [{ message: "another" }] }, { data: null }].map(isSubscription)).toEqual([
    true,
    false,
    false,
  ]);
});
