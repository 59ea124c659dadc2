import { setTimeout as sleep } from "node:timers/promises";
import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type Account, makeAccount } from "./support/clients/accounts.ts";
import { administer, done, rows } from "./support/stack/administer.ts";
import { loadDemo } from "./support/data/data.ts";
import { isBareHasura } from "./support/stack/engine-of-the-run.ts";
import { data, post } from "./support/clients/graphql.ts";
import { accessToken, claimsOf, headerOf, session, singleStep, tokenOfSession } from "./support/clients/sessions.ts";
import { type Closing, type Feed, protocols } from "./support/clients/sockets.ts";

/** The longest delay that SECURITY.md states, in milliseconds. */
const longestDelay = 20_000;

/** An account with a token and a subscription over each protocol. */
interface Connected {
  readonly account: Account;
  readonly token: string;
  readonly feeds: readonly Feed[];
}

async function connected(): Promise<Connected> {
  const account = await makeAccount("analyst");
  const token = accessToken(await singleStep(account));
  const payload = { headers: { Authorization: `Bearer ${token}` } };
  const feeds = protocols.map(({ subscribe }) =>
    subscribe("subscription { view_bgpupdates(limit: 1) { prefix } }", { payload }),
  );
  await Promise.all(feeds.map((feed) => feed.until(() => true, 10_000)));
  return { account, token, feeds };
}

const refused = { extensions: { path: "$", code: "invalid-jwt" } };

/** The connections close within the longest delay, before the token expires; then the token is refused over HTTP and for a new connection. */
async function expectEnded({ token, feeds }: Connected, since: number): Promise<void> {
  for (const feed of feeds) {
    const late = AbortSignal.timeout(longestDelay);
    const closing = await Promise.race([
      feed.closing,
      new Promise<Closing>((_resolve, reject) =>
        late.addEventListener("abort", () => reject(new Error("the connection is still open"))),
      ),
    ]);
    expect(closing.code).toBe(4403);
    expect(closing.reason).toContain("the access token is no longer accepted");
    expect(closing.at - since).toBeLessThan(longestDelay);
    expect(closing.at).toBeLessThan(claimsOf(token).exp * 1000);
    expect(feed.answers.every(({ at }) => at <= closing.at)).toBe(true);
  }
  expect((await post("{ __typename }", { token })).json()).toMatchObject({ errors: [refused] });
  const [{ subscribe } = protocols[0]!] = protocols;
  const again = subscribe("subscription { view_bgpupdates(limit: 1) { prefix } }", {
    payload: { headers: { Authorization: `Bearer ${token}` } },
  });
  expect((await again.closing).code).toBe(4403);
  expect(again.answers).toEqual([]);
}

async function expectServed({ token, feeds }: Connected): Promise<void> {
  expect(await data("{ __typename }", { token })).toEqual({ __typename: "query_root" });
  for (const feed of feeds) expect(feed.errors).toEqual([]);
}

/** Uses each new token of a session at once, until three seconds after the first one of another key. Those are accepted. */
async function useFreshTokens(sessionId: string, withdrawn: string): Promise<void> {
  for (let end = Infinity; Date.now() < end; await sleep(50)) {
    const token = await tokenOfSession(sessionId);
    const answer: unknown = (await post("{ __typename }", { token })).json();
    if (headerOf(token)["kid"] === withdrawn) continue;
    end = Math.min(end, Date.now() + 3_000);
    expect(answer).toEqual({ data: { __typename: "query_root" } });
  }
}

describe("withdrawn rights end open connections and tokens within the stated delay", () => {
  beforeAll(() => loadDemo());
  beforeEach((context) =>
    context.skip(isBareHasura, "Hasura v2 without the front closes a connection only when its token expires"),
  );

  test("of a changed role and a disabled account, and of no other account", { timeout: 120_000 }, async () => {
    const [changed, disabled, other] = [await connected(), await connected(), await connected()];
    const { sessionId } = await session(changed.account);
    const began = Date.now();
    await done(["users", "role", changed.account.email, "viewer"]);
    await done(["users", "disable", disabled.account.email]);
    const since = Date.now();
    await Promise.all([expectEnded(changed, since), expectEnded(disabled, since)]);
    await expectServed(other);
    const renewed = await tokenOfSession(sessionId);
    expect(claimsOf(renewed).iat * 1000).toBeGreaterThan(began);
    expect(await data("{ __typename }", { token: renewed })).toEqual({ __typename: "query_root" });
  });

  test("of a retired signing key", { timeout: 200_000 }, async () => {
    const inState = async (state: string) => (await rows(["keys", "list"])).filter((key) => key["state"] === state);
    // A rotation of an earlier file may be under way.
    await expect.poll(() => inState("next"), { timeout: 100_000, interval: 1000 }).toEqual([]);
    const leaked = await connected();
    const key = headerOf(leaked.token)["kid"] as string;
    expect((await inState("signing")).map(({ id }) => id)).toEqual([key]);
    const { sessionId } = await session(leaked.account);
    await done(["keys", "retire", key]);
    const fresh = useFreshTokens(sessionId, key);
    await Promise.all([expectEnded(leaked, Date.now()), fresh]);
    expect(await administer(["keys", "retire", key])).toMatchObject({ code: 1 });
  });
});
