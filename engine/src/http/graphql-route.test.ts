import { EventEmitter } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import { Readable } from "node:stream";
import { expect, test, vi } from "vitest";
import type { Authenticator } from "../auth/authenticator.ts";
import { ClientLeft } from "../cancellation.ts";
import { Turns } from "../cost/turns.ts";
import { WaitingBytes } from "../cost/waiting-bytes.ts";
import type { Executor } from "../executor.ts";
import { createAdmission } from "./graphql-execution.ts";
import { createGraphQLRoute, prefersGraphqlResponse } from "./graphql-route.ts";

test.each([
  [undefined, false],
  ["*/*", false],
  ["application/json", false],
  ["application/graphql-response+json", true],
  ["application/graphql-response+json; charset=utf-8, application/json; charset=utf-8", true],
  ["application/graphql-response+json,application/json;q=0.9", true],
  ["Application/GraphQL-Response+JSON", true],
  ["application/graphql-response+json;q=0.5, application/json", false],
  ["application/json, multipart/mixed, application/graphql-response+json;q=0", false],
])("Accept: %s is %s", (accept, expected) => {
  expect(prefersGraphqlResponse(accept)).toBe(expected);
});

test("a client that leaves before its turn gets no work", async () => {
  const run = vi.fn<Executor["run"]>();
  const session = { role: "viewer", isAdmin: false, variables: new Map<string, string>() };
  const authenticator: Authenticator = {
    authenticate: () => ({ session, expiresAt: Infinity, isRevoked: () => false }),
    onRevocation: () => undefined,
    onPreviousSecret: () => undefined,
    close: () => undefined,
  };
  const turns = new Turns();
  const left = Promise.withResolvers<void>();
  vi.spyOn(turns, "run").mockImplementation((_client, work) => left.promise.then(work));
  const waitingBytes = new WaitingBytes({ limit: 1_000, patience: 1_000 });
  const route = createGraphQLRoute(
    {
      authenticator,
      executor: { run, kindOf: () => "query", prepare: () => expect.unreachable() },
      admission: createAdmission(1),
      metrics: { operation: () => undefined, unavailable: () => undefined },
      logError: () => expect.unreachable(),
      internalDetail: { forAdmin: false, forAll: false },
      turns,
      waitingBytes,
    },
    { bodyLimit: 1_000, batchLimit: 10, answerLimit: 1_000, preserves401: false, keepsStatus: false },
  );
  const body = Buffer.from('{"query":"{ a }"}');
  const request = Object.assign(Readable.from([body]), {
    method: "POST",
    headers: { "content-length": String(body.length) },
    complete: true,
  });
  const response = Object.assign(new EventEmitter(), { writableFinished: false });
  const reply = route(request as unknown as IncomingMessage, "test", {
    response: response as unknown as ServerResponse,
    span: undefined,
  });
  response.emit("close");
  left.resolve();
  await expect(reply).rejects.toThrow(ClientLeft);
  expect(run).not.toHaveBeenCalled();
  waitingBytes.stop();
});
