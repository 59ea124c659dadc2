import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { post } from "./support/clients/graphql.ts";
import { protocols } from "./support/clients/sockets.ts";
import { stack } from "./support/stack/stack.ts";
import {
  type LoggedOutSocketLife,
  type SocketLife,
  type TokenLives,
  tokenLives,
  tokensEndSoon,
} from "./support/clients/token-lives.ts";

/** Tolerance in milliseconds before and after the token's expiry for closing a socket. */
const early = 1000;
const late = 20_000;

describe("States and transitions: access tokens already issued stay valid until they expire", () => {
  let lives: TokenLives;

  beforeAll(async () => {
    if (tokensEndSoon) lives = await tokenLives();
  });

  beforeEach((context) => {
    if (!tokensEndSoon)
      context.skip(
        `the stack's tokens live ${stack.tokenLifeSeconds} s, too long to wait for: set TOKEN_LIFE_SECONDS=60`,
      );
  });

  afterAll(async () => {
    if (!tokensEndSoon) return;
    for (const { untouched, loggedOut } of lives.sockets.values())
      await Promise.all([untouched.feed.dispose(), loggedOut.feed.dispose()]);
  });

  test("rejects an expired token", { timeout: 120_000 }, async () => {
    const { token, expiry } = lives.token;
    await sleep(Math.max(0, expiry + 1500 - Date.now()));
    const reply = await post("{ view_bgpupdates(limit: 1) { prefix } }", { token });
    expect(reply.json()).toEqual({
      errors: [{ message: "Could not verify JWT: JWTExpired", extensions: { path: "$", code: "invalid-jwt" } }],
    });
  });

  describe.each(protocols)("over a subscription, $name", ({ name }) => {
    const socket = (kind: "untouched" | "loggedOut"): SocketLife => lives.sockets.get(name)?.[kind] as SocketLife;

    async function expectClosedAtExpiry({ closing, expiry }: SocketLife): Promise<void> {
      const { at } = await closing;
      expect(at - expiry).toBeGreaterThanOrEqual(-early);
      expect(at - expiry).toBeLessThanOrEqual(late);
    }

    test("the connection is closed when its token expires, not before", { timeout: 120_000 }, async () => {
      await expectClosedAtExpiry(socket("untouched"));
    });

    test("a logout does not close the connection before the token expires", { timeout: 120_000 }, async () => {
      const life = socket("loggedOut") as LoggedOutSocketLife;
      expect(life.logoutStatus).toBe(200);
      expect(life.delivered).toBeLessThan(life.expiry);
      expect(life.query).toEqual({ __typename: "query_root" });
      await expectClosedAtExpiry(life);
    });
  });
});
