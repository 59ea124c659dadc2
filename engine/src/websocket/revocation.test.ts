import { expect, test } from "vitest";
import type { Authentication } from "../auth/authenticator.ts";
import { createSession } from "../auth/session.ts";
import { tokenOf, withKeySet, type WithKeySet } from "../lifecycle/testing/key-set.ts";
import { serveFake } from "../lifecycle/testing/served-engine.ts";
import { SocketClient } from "../lifecycle/testing/socket-client.ts";
import { frozenSeconds } from "../lifecycle/testing/tokens.ts";

const protocols = ["graphql-transport-ws", "graphql-ws"];
const startOf = (protocol: string) => (protocol === "graphql-ws" ? "start" : "subscribe");
const init = (token: string) => ({
  type: "connection_init",
  payload: { headers: { Authorization: `Bearer ${token}` } },
});

const revocations: [string, ({ publish }: WithKeySet) => Promise<void>][] = [
  ["its key is withdrawn", ({ publish }) => publish(["two"])],
  ["its account is revoked", ({ publish }) => publish(["one"], { alice: frozenSeconds + 1 })],
];

test.each(protocols.flatMap((protocol) => revocations.map((revocation) => [protocol, ...revocation] as const)))(
  "%s: closes a connection when %s, and delivers and executes nothing more",
  async (protocol, _title, revoke) => {
    const keySet = await withKeySet();
    let count = 0;
    const behaviour = { answer: () => `{"data":{"updates":${String((count += 1))}}}` };
    await using server = await serveFake(behaviour, {}, keySet);
    const client = await new SocketClient(server.webSocketUrl, protocol).opened();
    client.send(init(await tokenOf("alice")));
    expect((await client.next()).type).toBe("connection_ack");
    client.send({ type: startOf(protocol), id: "1", payload: { query: "subscription { updates }" } });
    expect((await client.next()).id).toBe("1");
    await revoke(keySet);
    const delivered = count;
    // It arrives at the server before the client's answer to the close frame.
    client.send({ type: startOf(protocol), id: "2", payload: { query: "{ a }" } });
    const { code, reason } = await client.closed;
    expect([code, JSON.parse(reason)]).toEqual([
      4403,
      { server_error_msg: "4403: the access token is no longer accepted" },
    ]);
    expect(server.engine.calls.executed).toHaveLength(0);
    expect(server.engine.calls.released).toHaveLength(1);
    const numbers = client.texts.flatMap((text) => /"updates":(\d+)/.exec(text)?.[1] ?? []);
    expect(Math.max(...numbers.map(Number))).toBeLessThanOrEqual(delivered);
  },
);

test("keeps the connections of other accounts and of the admin secret open", async () => {
  const keySet = await withKeySet();
  await using server = await serveFake({}, {}, keySet);
  const open = async (message: object): Promise<SocketClient> => {
    const client = await new SocketClient(server.webSocketUrl, "graphql-transport-ws").opened();
    client.send(message);
    expect((await client.next()).type).toBe("connection_ack");
    return client;
  };
  const alice = await open(init(await tokenOf("alice")));
  const secret = { "x-hasura-admin-secret": "the-admin-secret-of-these-tests-0123456789" };
  const others = [
    await open(init(await tokenOf("bob"))),
    await open({ type: "connection_init", payload: { headers: secret } }),
  ];
  await keySet.publish(["one"], { alice: frozenSeconds + 1 });
  expect((await alice.closed).code).toBe(4403);
  for (const client of others) {
    client.send({ type: "subscribe", id: "1", payload: { query: "{ a }" } });
    expect((await client.next()).id).toBe("1");
  }
});

test("does not accept a connection whose token is revoked after its verification", async () => {
  const verified = Promise.withResolvers<Authentication>();
  const authenticator = {
    authenticate: () => verified.promise,
    onRevocation: () => undefined,
    onPreviousSecret: () => undefined,
    close: () => undefined,
  };
  await using server = await serveFake({}, {}, { authenticator });
  const client = await new SocketClient(server.webSocketUrl, "graphql-transport-ws").opened();
  client.send({ type: "connection_init" });
  verified.resolve({ session: createSession("viewer", []), expiresAt: Infinity, isRevoked: () => true });
  expect((await client.closed).code).toBe(4403);
  expect(client.texts).toEqual([]);
});
