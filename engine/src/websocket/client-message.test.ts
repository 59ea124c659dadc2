import fc from "fast-check";
import { expect, test, vi } from "vitest";
import { adminSecret, serveFake } from "../lifecycle/testing/served-engine.ts";
import { SocketClient } from "../lifecycle/testing/socket-client.ts";
import { parseClientMessage } from "./client-message.ts";

vi.setConfig({ testTimeout: 30_000 });

const types = [
  "connection_init",
  "start",
  "subscribe",
  "stop",
  "complete",
  "ping",
  "pong",
  "connection_terminate",
  "data",
  "__proto__",
];

/** Almost valid messages, with arbitrary values in some places. */
const nearlyMessages = fc
  .record(
    {
      type: fc.oneof(fc.constantFrom(...types), fc.jsonValue()),
      id: fc.oneof(fc.string(), fc.jsonValue()),
      payload: fc.oneof(
        fc.jsonValue(),
        fc.record(
          { query: fc.oneof(fc.string(), fc.jsonValue()), variables: fc.jsonValue(), headers: fc.jsonValue() },
          { requiredKeys: [] },
        ),
      ),
    },
    { requiredKeys: [] },
  )
  .map((message) => JSON.stringify(message));

const frames = fc.oneof(nearlyMessages, fc.json(), fc.string({ unit: "binary" }));

test("any text is a message or is rejected with Hasura's message", () => {
  fc.assert(
    fc.property(frames, (text) => {
      try {
        expect(["init", "start", "stop", "ping", "pong", "terminate"]).toContain(parseClientMessage(text).type);
      } catch (error) {
        expect((error as Error).message).toMatch(/^parsing ClientMessage failed: Error in \$[.a-zA-Z]*: /);
      }
    }),
    { numRuns: 2_000 },
  );
});

test("no frame keeps the server from serving the next client", async () => {
  await using server = await serveFake({ answer: () => '{"data":{}}' });
  const samples = fc.sample(frames, 100);
  for (const protocol of ["graphql-ws", "graphql-transport-ws"]) {
    const clients: SocketClient[] = [];
    for (const text of samples) {
      const client = await new SocketClient(server.webSocketUrl, protocol, {
        "x-hasura-admin-secret": adminSecret,
      }).opened();
      client.send({ type: "connection_init" });
      client.send(text);
      clients.push(client);
    }
    for (const client of clients) client.socket.terminate();
    await Promise.all(clients.map(({ closed }) => closed));
  }
  const client = await new SocketClient(server.webSocketUrl, "graphql-transport-ws", {
    "x-hasura-admin-secret": adminSecret,
  }).opened();
  client.send({ type: "connection_init" });
  expect(await client.next()).toEqual({ type: "connection_ack" });
});
