import { expect } from "vitest";
import type { LoggedIn } from "../../../auth-sidecar/client.ts";
import { noteSecret } from "../../../harness/run/evidence.ts";
import { call, type Reply } from "./http.ts";
import { stack } from "../stack/stack.ts";

export interface Credentials {
  readonly email: string;
  readonly password: string;
}

export const administrator: Credentials = { email: stack.adminEmail, password: stack.adminPassword };

export const serviceKey = { "x-service-api-key": stack.serviceApiKey } as const;

export function sessionHeaders(sessionId: string): Record<string, string> {
  return { ...serviceKey, "content-type": "application/json", cookie: `sid=${sessionId}` };
}

/** Sends the first step of variant B unchanged. */
export async function login(credentials: Credentials): Promise<Reply> {
  return call("/api/auth/login/credentials", { method: "POST", headers: serviceKey, body: credentials });
}

/** Runs the first step of variant B, which must succeed. */
export async function session(credentials: Credentials): Promise<LoggedIn> {
  const reply = await login(credentials);
  expect(reply.status, reply.text).toBe(200);
  const { user } = reply.json() as { user: LoggedIn };
  noteSecret(`session id of ${user._id}`, user.sessionId);
  return user;
}

/** Runs the second step of variant B, which must succeed. */
export async function tokenOfSession(sessionId: string): Promise<string> {
  const reply = await call("/api/auth/jwt", { headers: sessionHeaders(sessionId) });
  expect(reply.status, reply.text).toBe(200);
  return accessToken(reply);
}

/** Sends variant A unchanged. */
export async function singleStep(credentials: Credentials): Promise<Reply> {
  return call("/jwt/auth", { method: "POST", body: { username: credentials.email, password: credentials.password } });
}

export async function logout(sessionId: string): Promise<Reply> {
  return call("/api/auth/logout", { method: "DELETE", headers: sessionHeaders(sessionId) });
}

export function accessToken(reply: Reply): string {
  const { access_token: token } = reply.json() as { access_token: string };
  noteSecret("token", token);
  return token;
}

/** Payload of a token, without verification. */
export function claimsOf(token: string): Record<string, unknown> & { exp: number; iat: number } {
  return JSON.parse(Buffer.from(token.split(".")[1] as string, "base64url").toString()) as Record<string, unknown> & {
    exp: number;
    iat: number;
  };
}

export function headerOf(token: string): Record<string, unknown> {
  return JSON.parse(Buffer.from(token.split(".")[0] as string, "base64url").toString()) as Record<string, unknown>;
}
