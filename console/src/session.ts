/** The credentials of this page. They live in memory only: a reload forgets them. */
import { type Client, createClient } from "graphql-ws";
import { createSession, lastingClient, LoginDelayed, LoginRefused, passwordLogin } from "./client-session.mjs";

type SocketEvents = Parameters<ReturnType<typeof createSession>["connect"]>[2];

export interface Session {
  /** Name of the account or of the kind of credentials, for the header of the page. */
  readonly label: string;
  /** The role in force at the start; `onRole` reports later ones. */
  readonly role: string;
  /** Whether the session may choose a role. The gateway forwards role headers with the master key only. */
  readonly choosesRole: boolean;
  /** `fetch` with the credentials. */
  readonly fetch: typeof fetch;
  /** A client for subscriptions that connects again by itself. */
  readonly connect: (events: SocketEvents) => Client;
}

/** Functions of the page that a session calls. */
export interface Page {
  /** Reports the role of a new token. */
  readonly onRole: (role: string) => void;
  /** Asks for another token. */
  readonly askForToken: () => Promise<string>;
}

export const endpoint = "/api/graphql";
const socketAddress = (): string => new URL(endpoint, location.href.replace(/^http/, "ws")).href;

/** Logs in with e-mail and password. The password is kept in memory to renew the token, which expires after minutes. */
export async function passwordSession(email: string, password: string, { onRole }: Page): Promise<Session> {
  const logIn = passwordLogin("", email, password);
  const first = await logIn().catch((error: unknown) => {
    throw inWords(error);
  });
  return tokenSessionOf(email, first, async () => {
    const token = await logIn();
    onRole(roleOf(token));
    return token;
  });
}

/** The same token. @throws Error when the server does not accept it */
export async function checkedToken(token: string): Promise<string> {
  const rejected = await rejection({ authorization: `Bearer ${token}` });
  if (rejected !== undefined) throw new Error(`The server rejected the access token: ${rejected.message}`);
  return token;
}

/** @throws Error when the server does not accept the token */
export async function tokenSession(token: string, { onRole, askForToken }: Page): Promise<Session> {
  await checkedToken(token);
  const another = async (): Promise<string> => {
    const next = await askForToken();
    onRole(roleOf(next));
    return next;
  };
  return tokenSessionOf("access token", token, another, false);
}

function tokenSessionOf(label: string, token: string, logIn: () => Promise<string>, renewsEarly = true): Session {
  const session = createSession(logIn, token, renewsEarly);
  return {
    label,
    role: roleOf(token),
    choosesRole: false,
    fetch: session.fetch,
    connect: (events) => session.connect(createClient, socketAddress(), events),
  };
}

/** @throws Error when the server does not accept the key */
export async function masterKeySession(key: string): Promise<Session> {
  const rejected = await rejection({ "x-engine-access-key": key });
  if (rejected?.code === "access-denied")
    throw new Error("The server rejected the master key. It is the setting ENGINE_ACCESS_KEY of the stack.");
  if (rejected !== undefined) throw new Error(rejected.message);
  return masterKeySessionAs(key, "", {});
}

/** The session of the master key with a role and its session variables; without a role it has full access. */
function masterKeySessionAs(key: string, role: string, variables: Readonly<Record<string, string>>): MasterKeySession {
  const chosen = role === "" ? {} : { "x-hasura-role": role, ...variables };
  return {
    label: "master key",
    role: role === "" ? "admin" : role,
    choosesRole: true,
    fetch: (input, init) =>
      fetch(input, { ...init, headers: { ...headersOf(init), "x-engine-access-key": key, ...chosen } }),
    connect: (on) =>
      lastingClient(createClient, {
        url: socketAddress(),
        // The gateway does not read WebSocket messages, so the engine's own name for the key applies here.
        connectionParams: { headers: { "x-hasura-admin-secret": key, ...chosen } },
        on,
      }),
    as: (other, others) => masterKeySessionAs(key, other, others),
  };
}

interface MasterKeySession extends Session {
  readonly as: (role: string, variables: Readonly<Record<string, string>>) => MasterKeySession;
}

/** The session with a chosen role, if it may choose one. */
export function asRole(session: Session, role: string, variables: Readonly<Record<string, string>>): Session {
  return "as" in session ? (session as MasterKeySession).as(role, variables) : session;
}

/** A failed login for the person at the page. */
function inWords(error: unknown): Error {
  if (error instanceof LoginRefused && error.status === 401)
    return new Error("The e-mail address or the password is wrong.");
  if (error instanceof LoginDelayed && error.seconds > 0) {
    const time = new Date(Date.now() + error.seconds * 1000).toLocaleTimeString();
    return new Error(`The server takes no login now. Try again in ${error.seconds} seconds, at ${time}.`);
  }
  return error instanceof Error ? error : new Error(String(error));
}

interface Rejection {
  readonly message: string;
  readonly code: string | undefined;
}

/** The engine's answer to credentials that it does not accept; undefined when it does. @throws Error without an answer */
async function rejection(headers: Record<string, string>): Promise<Rejection | undefined> {
  const response = await fetch(endpoint, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify({ query: "{ __typename }" }),
    credentials: "omit",
  }).catch(() => {
    throw new Error("The server cannot be reached. Check the network connection.");
  });
  const reply = (await response
    .json()
    .catch(() => ({ error: `The server answered with status ${response.status} and without JSON.` }))) as {
    errors?: { message: string; extensions?: { code: string } }[];
    error?: string;
  };
  const [failure] = reply.errors ?? [];
  const message = failure?.message ?? reply.error;
  return message === undefined ? undefined : { message, code: failure?.extensions?.code };
}

/** The default role in the claims of a token. */
function roleOf(token: string): string {
  const payload = (token.split(".")[1] ?? "").replaceAll("-", "+").replaceAll("_", "/");
  const claims = JSON.parse(atob(payload)) as Record<string, { "x-hasura-default-role"?: string } | undefined>;
  return claims["https://hasura.io/jwt/claims"]?.["x-hasura-default-role"] ?? "unknown";
}

function headersOf(init: RequestInit | undefined): Record<string, string> {
  return Object.fromEntries(new Headers(init?.headers).entries());
}
