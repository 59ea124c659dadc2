import type { Provider } from "../users/user.ts";

export type AuditEventName =
  | "login"
  | "token"
  | "logout"
  | "first-administrator"
  | "user-added"
  | "role-changed"
  | "user-disabled"
  | "user-enabled"
  | "password-changed"
  | "sessions-ended"
  | "key-created"
  | "key-rotated"
  | "key-retired"
  | "keys-reencrypted";

export type AuditOutcome = "success" | "failure" | "throttled" | "refused";

/**
 * One event of an account, a session or a key. Contains no secret, no e-mail address and no text
 * from a client.
 */
export interface AuditEvent {
  readonly event: AuditEventName;
  readonly outcome: AuditOutcome;
  readonly userId?: string | undefined;
  readonly provider?: Provider | undefined;
  /** Keyed digest of the account's name, see accountPseudonym. */
  readonly account?: string | undefined;
  /** IP address. */
  readonly address?: string | undefined;
  readonly requestId?: string | undefined;
  readonly detail?: Readonly<Record<string, string | number | boolean>> | undefined;
}
