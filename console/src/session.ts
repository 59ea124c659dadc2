/** The credentials of this page. They live in memory only: a reload forgets them. */

/** A session sends its headers with each request, and in `connection_init` of a WebSocket. */
export interface Session {
  /** Name of the account or of the kind of credentials, for the header of the page. */
  readonly label: string;
  /** Whether the session may choose a role. The gateway forwards role headers with the master key only. */
  readonly choosesRole: boolean;
  readonly httpHeaders: () => Promise<Record<string, string>>;
  readonly socketHeaders: () => Promise<Record<string, string>>;
}

/** The server rejected the credentials. */
class Rejected extends Error {}

export const endpoint = "/api/graphql";
const tokenEndpoint = "/jwt/auth";
/** Milliseconds before its expiry at which a token is replaced. */
const renewalMargin = 30_000;

/** Logs in with e-mail and password. The password is kept in memory to renew the token, which expires after minutes. */
export async function passwordSession(email: string, password: string): Promise<Session> {
  let token = await requestToken(email, password);
  const headers = async (): Promise<Record<string, string>> => {
    if (expiryOf(token) - renewalMargin < Date.now()) token = await requestToken(email, password);
    return { authorization: `Bearer ${token}` };
  };
  return { label: email, choosesRole: false, httpHeaders: headers, socketHeaders: headers };
}

/** @throws Rejected when the server does not accept the token */
export async function tokenSession(token: string): Promise<Session> {
  const headers = async (): Promise<Record<string, string>> => ({ authorization: `Bearer ${token}` });
  const session: Session = { label: "access token", choosesRole: false, httpHeaders: headers, socketHeaders: headers };
  await check(session, "The server rejected the access token");
  return session;
}

/** @throws Rejected when the server does not accept the key */
export async function masterKeySession(key: string): Promise<Session> {
  const session: Session = {
    label: "master key",
    choosesRole: true,
    httpHeaders: async () => ({ "x-engine-access-key": key }),
    // The gateway does not read WebSocket messages, so the engine's own name for the key applies here.
    socketHeaders: async () => ({ "x-hasura-admin-secret": key }),
  };
  await check(session, "The server rejected the master key");
  return session;
}

export function asRole(session: Session, role: string, variables: Readonly<Record<string, string>>): Session {
  const chosen = role === "" ? {} : { "x-hasura-role": role, ...variables };
  return {
    ...session,
    httpHeaders: async () => ({ ...(await session.httpHeaders()), ...chosen }),
    socketHeaders: async () => ({ ...(await session.socketHeaders()), ...chosen }),
  };
}

async function requestToken(email: string, password: string): Promise<string> {
  const response = await post(tokenEndpoint, {}, { username: email, password });
  const reply = await jsonOf<{ access_token?: string; error?: string }>(response);
  if (response.status === 401) throw new Rejected("The e-mail address or the password is wrong.");
  if (reply.access_token === undefined)
    throw new Rejected(reply.error ?? `The login failed with status ${response.status}.`);
  return reply.access_token;
}

async function check(session: Session, failure: string): Promise<void> {
  const response = await post(endpoint, await session.httpHeaders(), { query: "{ __typename }" });
  const reply = await jsonOf<{ errors?: { message: string }[]; error?: string }>(response);
  const reason = reply.errors?.[0]?.message ?? reply.error;
  if (reason !== undefined) throw new Rejected(`${failure}: ${reason}`);
}

async function post(path: string, headers: Record<string, string>, body: unknown): Promise<Response> {
  try {
    return await fetch(path, {
      method: "POST",
      headers: { "content-type": "application/json", ...headers },
      body: JSON.stringify(body),
      credentials: "omit",
    });
  } catch {
    throw new Rejected("The server cannot be reached. Check the network connection.");
  }
}

async function jsonOf<T>(response: Response): Promise<T> {
  try {
    return (await response.json()) as T;
  } catch {
    throw new Rejected(`The server answered with status ${response.status} and without JSON.`);
  }
}

/** Milliseconds since the epoch, from the claim `exp`. */
function expiryOf(token: string): number {
  const payload = (token.split(".")[1] ?? "").replaceAll("-", "+").replaceAll("_", "/");
  const { exp = 0 } = JSON.parse(atob(payload)) as { exp?: number };
  return exp * 1000;
}
