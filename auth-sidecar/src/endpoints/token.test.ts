import type { Request, Response } from "express";
import { expect, test } from "vitest";
import { newSessionId } from "../sessions/session-cookie.ts";
import type { Parts } from "./endpoint.ts";
import { token } from "./token.ts";

test("an account with many sessions has only its share of the queue", async () => {
  const order: string[] = [];
  const first = Promise.withResolvers<void>();
  const owners = new Map<string, string>();
  const parts = {
    settings: {
      SERVICE_API_KEY: "a service key of the test",
      TOKEN_CONCURRENCY: 1,
      TOKEN_QUEUE: 10,
      BODY_LIMIT_KILOBYTES: 1,
    },
    metrics: { gauge: () => undefined, tokens: { inc: () => undefined } },
    sessions: { use: async (id: string) => owners.get(id) },
    tokens: { begin: () => ({ id: "t", keyId: "k", sign: async () => "signed" }) },
    audit: {
      recordLocalToken: async ({ userId }: { userId: string }) => {
        order.push(userId);
        await first.promise;
        return { id: userId };
      },
    },
  } as unknown as Parts;
  const handler = token(parts).handlers.at(-1)! as (request: Request, response: Response) => Promise<void>;
  const response = { locals: { context: { requestId: "r", address: "192.0.2.1" } }, json: () => undefined };
  const ask = (userId: string): Promise<void> => {
    const id = newSessionId();
    owners.set(id, userId);
    return handler({ headers: { cookie: `sid=${id}` } } as Request, response as unknown as Response);
  };
  const all = [ask("many"), ask("many"), ask("many"), ask("other")];
  await expect.poll(() => order).toEqual(["many"]);
  first.resolve();
  await Promise.all(all);
  expect(order).toEqual(["many", "other", "many", "many"]);
});
