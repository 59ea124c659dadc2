import { claimsOf, serviceKey, sessionHeaders } from "../../e2e/support/clients/sessions.ts";
import { makeAccount } from "../../e2e/support/clients/accounts.ts";
import type { Asker } from "./members.ts";

/** A client that logs in, requests tokens, logs out and starts again; every answer must belong to its own account and session. */
export async function loginAsker(): Promise<Asker> {
  const account = await makeAccount("viewer");
  let sessionId: string | undefined;
  let tokens = 0;
  const login = {
    path: "/api/auth/login/credentials",
    headers: serviceKey,
    body: { email: account.email, password: account.password },
    isRight: (body: unknown) => {
      const { user } = body as { user: { _id: string; sessionId: string; role: string } };
      if (user._id !== account.id || user.role !== "viewer") return "the login's answer is of another account";
      sessionId = user.sessionId;
      tokens = 0;
      return true as const;
    },
  };
  const token = (id: string) => ({
    path: "/api/auth/jwt",
    method: "GET",
    headers: sessionHeaders(id),
    isRight: (body: unknown) => {
      tokens += 1;
      return (
        claimsOf((body as { access_token: string }).access_token)["sub"] === account.id ||
        "the token is of another account"
      );
    },
  });
  const logout = (id: string) => ({
    path: "/api/auth/logout",
    method: "DELETE",
    headers: sessionHeaders(id),
    isRight: () => true as const,
  });
  return {
    name: "login",
    next: () => {
      if (sessionId === undefined) return login;
      if (tokens < 5) return token(sessionId);
      // With or without an answer: an unanswered logout may have happened.
      const last = sessionId;
      sessionId = undefined;
      return logout(last);
    },
  };
}
