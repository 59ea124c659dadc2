/** Why a login or a token was refused: `detail.reason` of its event in auth.audit_events and the log. Docs: operate/users.md. */
import { type ErrorCode, errorCodes } from "@routeql/contract/error-codes";
import type { AuditEvent, AuditOutcome } from "./audit-trail.ts";

interface Refusal {
  readonly outcome: Exclude<AuditOutcome, "success">;
  readonly code: ErrorCode;
  readonly cause: string;
  readonly remedy: string;
}

const refusals = {
  throttled: {
    outcome: "throttled",
    code: "too-many-requests",
    cause: "a limit, see below",
    remedy: "wait, or `npm run users -- unlock`",
  },
  credentials: {
    outcome: "failure",
    code: "wrong-credentials",
    cause: "wrong password; without `user_id` an unknown account or an LDAP login",
    remedy: "`npm run users -- password ACCOUNT`; LDAP: `explain NAME`",
  },
  changed: {
    outcome: "failure",
    code: "wrong-credentials",
    cause: "the account changed during the login",
    remedy: "log in again",
  },
  disabled: {
    outcome: "refused",
    code: "no-access",
    cause: "account disabled",
    remedy: "`npm run users -- enable ACCOUNT`",
  },
  pending: {
    outcome: "refused",
    code: "no-access",
    cause: "role without tokens",
    remedy: "`npm run users -- role ACCOUNT ROLE`; LDAP: [`LDAP_ROLES`](ldap.md)",
  },
  deleted: {
    outcome: "refused",
    code: "no-session",
    cause: "account gone; in LDAP also inactive, or with a new password",
    remedy: "log in again",
  },
} as const satisfies Record<string, Refusal>;

export type RefusalReason = keyof typeof refusals;

/** The event of a refusal, with outcome and reason. */
export function refused<Event extends Omit<AuditEvent, "outcome">>(event: Event, reason: RefusalReason) {
  return { ...event, outcome: refusals[reason].outcome, detail: { ...event.detail, reason } };
}

/** The reasons as a Markdown table. */
export function refusalTable(): string {
  const rows = Object.entries(refusals).map(
    ([reason, { code, cause, remedy }]) =>
      `| \`${reason}\` | ${errorCodes[code].status} \`${code}\` | ${cause} | ${remedy} |`,
  );
  return ["| `reason` | answer | cause | next step |", "|---|---|---|---|", ...rows].join("\n");
}
