import type { RequestHandler } from "express";
import type { AuditTrail } from "../audit/audit-trail.ts";
import type { Authenticator } from "../credentials/authenticator.ts";
import type { CredentialSource } from "../credentials/credentials.ts";
import type { Keyring } from "../keys/keyring.ts";
import type { DirectoryLogin } from "../ldap/directory-login.ts";
import type { Metrics } from "../metrics.ts";
import type { SessionStore } from "../sessions/session-store.ts";
import type { Settings } from "../settings.ts";
import type { Revocations } from "../revocations.ts";
import type { TokenIssuer } from "../tokens/token-issuer.ts";
import type { UserRepository } from "../users.ts";

export type Method = "GET" | "POST" | "DELETE";

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

export type PartState = "up" | "down";

export interface Readiness {
  /** Current state of each service that answers depend on; takes at most a second. */
  check(): Promise<Readonly<Record<string, PartState>>>;
}
