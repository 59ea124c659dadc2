/**
 * Tokens and sockets that end when the token expires. A token lives at least a minute, so they start in an early file and
 * 13-token-lives.test.ts checks them later with little remaining wait.
 */
import { makeAccount } from "./accounts.ts";
import { loadDemo } from "../data/data.ts";
import { loadLines } from "../data/load-lines.ts";
import { data } from "./graphql.ts";
import { accessToken, claimsOf, logout, session, singleStep, tokenOfSession } from "./sessions.ts";
import { announcement } from "../data/small-world.ts";
import { type Closing, type Feed, protocols, type Subscribe } from "./sockets.ts";
import { stack } from "../stack/stack.ts";

/** Whether a test can wait for a token's expiry. */
export const tokensEndSoon: boolean = stack.tokenLifeSeconds <= 90;

interface Life {
  /** Expiry of the token in milliseconds since 1970. */
  readonly expiry: number;
}

export interface SocketLife extends Life {
  readonly feed: Feed;
  readonly closing: Promise<Closing>;
}

/** A socket whose session ended while it was open. */
export interface LoggedOutSocketLife extends SocketLife {
  readonly logoutStatus: number;
  /** Time at which it received the update loaded after the logout, in milliseconds since 1970. */
  readonly delivered: number;
  /** Answer to a query with the same token after the logout. */
  readonly query: unknown;
}

export interface TokenLives {
  readonly token: Life & { readonly token: string };
  /** By name of the protocol. */
  readonly sockets: ReadonlyMap<string, { readonly untouched: SocketLife; readonly loggedOut: LoggedOutSocketLife }>;
}

let lives: Promise<TokenLives> | undefined;

/**
 * Starts at the first call.
 * @throws the error of the start, to every caller
 */
export function tokenLives(): Promise<TokenLives> {
  lives ??= begin();
  return lives;
}

async function begin(): Promise<TokenLives> {
  await loadDemo();
  const token = accessToken(await singleStep(await makeAccount("viewer")));
  await data("{ __typename }", { token });
  const sockets = new Map<string, { untouched: SocketLife; loggedOut: LoggedOutSocketLife }>();
  for (const [index, { name, subscribe }] of protocols.entries()) {
    sockets.set(name, {
      untouched: await untouched(subscribe),
      loggedOut: await loggedOut(subscribe, `198.18.65.${4 * index}/30`),
    });
  }
  return { token: { token, expiry: expiryOf(token) }, sockets };
}

const expiryOf = (token: string): number => claimsOf(token).exp * 1000;

async function untouched(subscribe: Subscribe): Promise<SocketLife> {
  const token = accessToken(await singleStep(await makeAccount("viewer")));
  const feed = subscribe(
    "subscription { view_bgpupdates(limit: 1, order_by: {timestamp: desc}) { prefix timestamp } }",
    { headers: { authorization: `Bearer ${token}` } },
  );
  await feed.until(() => true, 10_000);
  return { expiry: expiryOf(token), feed, closing: feed.closing };
}

async function loggedOut(subscribe: Subscribe, prefix: string): Promise<LoggedOutSocketLife> {
  const { sessionId } = await session(await makeAccount("operator"));
  const token = await tokenOfSession(sessionId);
  const line = announcement({ prefix });
  const query = `subscription { view_bgpupdates(where: {prefix: {_eq: "${line.prefix}"}, timestamp: {_eq: "${line.timestamp}"}}) { prefix } }`;
  const feed = subscribe(query, { payload: { headers: { Authorization: `Bearer ${token}` } } });
  await feed.until(() => true, 10_000);
  const { status: logoutStatus } = await logout(sessionId);
  await loadLines([line.text]);
  const { at: delivered } = await feed.until(
    (answer) => (answer as { view_bgpupdates: unknown[] }).view_bgpupdates.length === 1,
    10_000,
  );
  return {
    expiry: expiryOf(token),
    feed,
    closing: feed.closing,
    logoutStatus,
    delivered,
    query: await data("{ __typename }", { token }),
  };
}
