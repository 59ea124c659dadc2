import type { RequestHandler } from "express";
import type { AuditTrail } from "../audit/audit-trail.ts";
import type { Authenticator } from "../credentials/authenticator.ts";
import type { CredentialSource } from "../credentials/credentials.ts";
import type { Keyring } from "../keys/keyring.ts";
import type { DirectoryLogin } from "../ldap/directory-login.ts";
import type { Metrics } from "../metrics.ts";
import type { SessionStore } from "../sessions/session-store.ts";
import type { Settings } from "../settings.ts";
import type { Revocations } from "../tokens/revocations.ts";
import type { TokenIssuer } from "../tokens/token-issuer.ts";
import type { UserRepository } from "../users.ts";
import { jwks } from "./jwks.ts";
import { loginCredentials, loginLdap, logout } from "./session.ts";
import { liveness, type Readiness, readiness } from "./readiness.ts";
import { singleStepToken } from "./single-step-token.ts";
import { token } from "./token.ts";

export type Method = "GET" | "POST" | "DELETE";

/** One path and its handler. */
export interface Endpoint {
  readonly path: string;
  /** Internal endpoints are for other services; the gateway does not route to them. */
  readonly audience: "public" | "inside";
  readonly methods: readonly Method[];
  readonly handlers: readonly RequestHandler[];
}

/** Dependencies of the endpoints. */
export interface Parts {
  readonly settings: Settings;
  readonly authenticator: Authenticator;
  readonly local: CredentialSource;
  /** Undefined when no directory is configured. */
  readonly directory: DirectoryLogin | undefined;
  readonly sessions: SessionStore;
  readonly users: UserRepository;
  readonly tokens: TokenIssuer;
  readonly keyring: Keyring;
  readonly revocations: Revocations;
  readonly audit: AuditTrail;
  readonly metrics: Metrics;
  readonly readiness: Readiness;
}

/** All endpoints of the main port. */
export function endpoints(parts: Parts): Endpoint[] {
  return [
    loginCredentials(parts),
    loginLdap(parts),
    token(parts),
    logout(parts),
    singleStepToken(parts),
    jwks(parts),
    liveness(),
    readiness(parts),
  ];
}
