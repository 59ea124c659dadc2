import { once } from "node:events";
import { request as httpRequest, type IncomingMessage } from "node:http";
import { json } from "node:stream/consumers";
import { expect, test } from "vitest";
import { tokenOf, withKeySet } from "../lifecycle/testing/key-set.ts";
import { serveFake } from "../lifecycle/testing/served-engine.ts";

const revoked = {
  errors: [{ message: "Could not verify JWT: JWTRevoked", extensions: { path: "$", code: "invalid-jwt" } }],
};

test("a batch stops at the operation before which its token is revoked", async () => {
  const keySet = await withKeySet();
  const execute = async (): Promise<string> => {
    await keySet.publish(["two"]);
    return '{"data":{"a":1}}';
  };
  await using server = await serveFake({ execute }, {}, keySet);
  const reply = await fetch(`${server.url}/v1/graphql`, {
    method: "POST",
    headers: { authorization: `Bearer ${await tokenOf("alice")}` },
    body: JSON.stringify([{ query: "{ a }" }, { query: "{ a }" }]),
  });
  expect(await reply.json()).toEqual([{ data: { a: 1 } }, revoked]);
  expect(server.engine.calls.executed).toHaveLength(1);
});

test("a request whose token is revoked while its body arrives executes nothing", async () => {
  const keySet = await withKeySet();
  await using server = await serveFake({}, {}, keySet);
  const token = await tokenOf("alice");
  await keySet.authenticator.authenticate({ authorization: `Bearer ${token}` });
  const request = httpRequest(`${server.url}/v1/graphql`, {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, expect: "100-continue" },
  });
  const answered = once(request, "response") as Promise<[IncomingMessage]>;
  request.write('{"query":');
  await once(request, "continue");
  // The server authenticates when it has the headers, before this round trip ends.
  await fetch(`${server.url}/v1/version`);
  await keySet.publish(["two"]);
  request.end('"{ a }"}');
  const [response] = await answered;
  expect(await json(response)).toEqual(revoked);
  expect(server.engine.calls.executed).toHaveLength(0);
});
