/** Result codes of a directory (RFC 4511, 4.1.9): their names, and their meaning for a password. */
import type { ResultCodeError } from "ldapts";

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

/** busy, unavailable. */
export const isTemporary = ({ code }: ResultCodeError): boolean => code === 51 || code === 52;

/** invalidCredentials; `data` of Active Directory distinguishes locked and expired accounts. */
export const isOrdinaryRefusal = ({ code, message }: ResultCodeError): boolean =>
  code === 49 && !/\bdata (?!52e|525)/.test(message);
