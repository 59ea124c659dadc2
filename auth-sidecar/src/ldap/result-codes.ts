import { ResultCodeError } from "ldapts";
import type { Settings } from "../settings.ts";

/** An unusable answer of the directory. Its message names the step, the answer and the setting, and no account. */
export class DirectoryProblem extends Error {
  constructor(message: string) {
    super(message);
    this.name = "DirectoryProblem";
  }
}

/** A call of the directory, with the setting that decides whether it can work. */
export type Step = "search account" | "accounts" | "groups" | "password";

/** Result codes of RFC 4511, 4.1.9. */
const names: Readonly<Record<number, string>> = {
  1: "operationsError",
  2: "protocolError",
  3: "timeLimitExceeded",
  4: "sizeLimitExceeded",
  7: "authMethodNotSupported",
  8: "strongerAuthRequired",
  10: "referral",
  11: "adminLimitExceeded",
  12: "unavailableCriticalExtension",
  13: "confidentialityRequired",
  16: "noSuchAttribute",
  17: "undefinedAttributeType",
  18: "inappropriateMatching",
  19: "constraintViolation",
  21: "invalidAttributeSyntax",
  32: "noSuchObject",
  33: "aliasProblem",
  34: "invalidDNSyntax",
  36: "aliasDereferencingProblem",
  48: "inappropriateAuthentication",
  49: "invalidCredentials",
  50: "insufficientAccessRights",
  51: "busy",
  52: "unavailable",
  53: "unwillingToPerform",
  54: "loopDetect",
  80: "other",
};

/** Codes by which a directory refuses a password: wrong, locked, expired, too many attempts, no password, removed meanwhile. */
const refusals = new Set([19, 32, 48, 49, 50, 53]);

/** Whether the directory has decided about the password; without a decision the next server is asked. */
export const refusesPassword = (error: ResultCodeError): boolean => refusals.has(error.code);

/** The code with its name, and Active Directory's reason of a refusal (`775` is a locked account); nothing else of the server's text. */
export function resultName({ code, message }: ResultCodeError): string {
  const [, reason] = /\bdata ([0-9a-f]{1,4})\b/.exec(message) ?? [];
  return `${names[code] ?? "result code"} (${code}${reason === undefined ? "" : `, data ${reason}`})`;
}

type LdapSettings = Pick<Settings, "LDAP_USER_BASE" | "LDAP_GROUP_BASE">;

/** The problem of a failed step, with the setting to correct. */
export function problemOf(step: Step, error: ResultCodeError, settings: LdapSettings): DirectoryProblem {
  const what = { password: "The login", "search account": "The login of the search account" }[step as string];
  return new DirectoryProblem(
    `${what ?? `The search for ${step}`} failed: the directory answers ${resultName(error)}; ${remedy(step, error.code, settings)}`,
  );
}

function remedy(step: Step, code: number, settings: LdapSettings): string {
  if (code === 8 || code === 13) return "it wants TLS: use ldaps:// in LDAP_URL, or LDAP_STARTTLS=true";
  if (step === "search account") {
    if (refusals.has(code) || code === 34 || code === 7) return "correct LDAP_BIND_DN and LDAP_BIND_PASSWORD";
  } else if (step !== "password") {
    const [setting, base] =
      step === "groups" && settings.LDAP_GROUP_BASE !== undefined
        ? ["LDAP_GROUP_BASE", settings.LDAP_GROUP_BASE]
        : ["LDAP_USER_BASE", settings.LDAP_USER_BASE];
    const filter = step === "groups" ? "LDAP_GROUP_FILTER" : "LDAP_USER_FILTER and LDAP_ACTIVE_FILTER";
    if (code === 32) return `${setting} ${base} does not exist, or LDAP_BIND_DN may not read it`;
    if (code === 34) return `${setting} ${base} is no DN`;
    if (code === 10) return `another server has ${setting} ${base}: name that server in LDAP_URL`;
    if ([1, 48, 50, 53].includes(code)) return `let LDAP_BIND_DN search below ${setting} ${base}`;
    if ([3, 4, 11].includes(code)) return `it found too much: narrow ${filter}, or index its attributes`;
    if ([16, 17, 18, 21, 2, 12].includes(code)) return `correct ${filter}`;
  }
  return "see the log of the directory";
}
