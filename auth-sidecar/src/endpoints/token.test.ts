import type { Request, Response } from "express";
import { expect, test } from "vitest";
import { AccountChanged } from "../errors.ts";
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
      recordToken: async (_provider: string, { userId }: { userId: string }) => {
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

test("a changed directory account waits without a turn, and is then read again", async () => {
  const began: number[] = [];
  const issued: string[] = [];
  const asked: string[] = [];
  const second = 1000;
  const usableFrom = Math.floor(Date.now() / second) + 2;
  const user = { id: "ldap-1", provider: "ldap", role: "viewer", disabled: false };
  const parts = {
    settings: {
      SERVICE_API_KEY: "a service key of the test",
      TOKEN_CONCURRENCY: 1,
      TOKEN_QUEUE: 10,
      BODY_LIMIT_KILOBYTES: 1,
    },
    metrics: { gauge: () => undefined, tokens: { inc: () => undefined } },
    sessions: { use: async (id: string) => (id === changedSession ? user.id : "local") },
    users: { findById: async () => user },
    directory: {
      current: async () => {
        asked.push(user.id);
        return user;
      },
    },
    tokens: {
      begin: () => {
        const issuedAt = Math.floor(Date.now() / second);
        return { id: "t", keyId: "k", issuedAt, sign: async ({ id }: { id: string }) => (began.push(issuedAt), id) };
      },
    },
    audit: {
      recordToken: async (provider: string, { userId }: { userId: string }, issuedAt: number) => {
        if (userId === "local") return { id: userId };
        if (provider === "local") return undefined;
        if (issuedAt < usableFrom) throw new AccountChanged(usableFrom);
        return user;
      },
    },
  } as unknown as Parts;
  const changedSession = newSessionId();
  const handler = token(parts).handlers.at(-1)! as (request: Request, response: Response) => Promise<void>;
  const response = {
    locals: { context: { requestId: "r", address: "192.0.2.1" } },
    destroyed: false,
    once: () => undefined,
    off: () => undefined,
    json: ({ access_token }: { access_token: string }) => issued.push(access_token),
  };
  const ask = (id: string): Promise<void> =>
    handler({ headers: { cookie: `sid=${id}` } } as Request, response as unknown as Response);
  const changed = ask(changedSession);
  await expect.poll(() => asked).toHaveLength(1);
  await ask(newSessionId());
  expect(issued).toEqual(["local"]);
  await changed;
  expect(issued).toEqual(["local", user.id]);
  expect(asked).toHaveLength(2);
  expect(began.at(-1)).toBeGreaterThanOrEqual(usableFrom);
});
