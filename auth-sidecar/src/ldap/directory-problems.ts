/** Problems of the directory, each with the setting to correct. */
import type { ResultCodeError } from "ldapts";
import type { Settings } from "../settings.ts";
import { refusesPassword, resultName } from "./result-codes.ts";

/** An unusable answer of the directory. Its message names the step, the answer and the setting, and no account. */
export class DirectoryProblem extends Error {
  /** The result code of the directory (RFC 4511, 4.1.9), if it answered. */
  readonly code: number | undefined;

  constructor(message: string, code?: number) {
    super(message);
    this.name = "DirectoryProblem";
    this.code = code;
  }
}

/** An answer beyond the bound, which ended its connection. */
export class AnswerTooLong extends DirectoryProblem {
  override readonly name = "AnswerTooLong";

  constructor(step: Step, bytes: number, settings: LdapSettings) {
    const remedies: Partial<Record<Step, string>> = {
      // Such a directory returns every entry that the filter matches.
      accounts:
        "narrow LDAP_USER_FILTER to one account, because the directory may ignore the size limit of a search, or shorten the attributes of the account",
      groups:
        settings.LDAP_GROUP_BASE === undefined
          ? "shorten the attributes of the account, or set LDAP_GROUP_BASE"
          : "narrow LDAP_GROUP_FILTER",
    };
    super(
      `${failed(step)}: the directory answers with more than ${bytes / 1024} KiB; ${remedies[step] ?? "see the log of the directory"}`,
    );
  }
}

/** A call of the directory, with the setting that decides whether it can work. */
export type Step = "StartTLS" | "search account" | "accounts" | "groups" | "password";

type LdapSettings = Pick<
  Settings,
  "LDAP_URL" | "LDAP_STARTTLS" | "LDAP_BIND_DN" | "LDAP_USER_BASE" | "LDAP_GROUP_BASE" | "LDAP_TIMEOUT_MILLISECONDS"
>;

/** The problem of a failed step, with the setting to correct. */
export const problemOf = (step: Step, error: ResultCodeError, settings: LdapSettings): DirectoryProblem =>
  new DirectoryProblem(
    `${failed(step)}: the directory answers ${resultName(error)}; ${remedy(step, error, settings)}`,
    error.code,
  );

const subjects = { StartTLS: "StartTLS", "search account": "The login of the search account", password: "The login" };
const failed = (step: Step): string =>
  `${step === "accounts" || step === "groups" ? `The search for ${step}` : subjects[step]} failed`;

const filterOf = (step: Step): string =>
  step === "groups" ? "LDAP_GROUP_FILTER" : "LDAP_USER_FILTER and LDAP_ACTIVE_FILTER";

/** Codes of a search that needs another login. */
const rights = [1, 48, 50, 53];

function remedy(step: Step, error: ResultCodeError, settings: LdapSettings): string {
  const { code } = error;
  if (step === "StartTLS") return "the server has no StartTLS, or no certificate: use ldaps:// in LDAP_URL";
  const isPlain = !settings.LDAP_STARTTLS && settings.LDAP_URL?.some((url) => url.startsWith("ldap:"));
  if ((code === 8 || code === 13) && isPlain) return "it wants TLS: use ldaps:// in LDAP_URL, or LDAP_STARTTLS=true";
  if (step === "password") return "see the log of the directory";
  if (settings.LDAP_BIND_DN === undefined && [8, ...rights].includes(code))
    return "it wants a login before a search: set LDAP_BIND_DN and LDAP_BIND_PASSWORD";
  if (step === "search account") {
    if (refusesPassword(error) || code === 34 || code === 7) return "correct LDAP_BIND_DN and LDAP_BIND_PASSWORD";
  } else {
    const [setting, base] =
      step === "groups" && settings.LDAP_GROUP_BASE !== undefined
        ? ["LDAP_GROUP_BASE", settings.LDAP_GROUP_BASE]
        : ["LDAP_USER_BASE", settings.LDAP_USER_BASE];
    const filter = filterOf(step);
    if (code === 32) return `${setting} ${base} does not exist, or LDAP_BIND_DN may not read it`;
    if (code === 34) return `${setting} ${base} is no DN`;
    if (code === 10) return `another server has ${setting} ${base}: name that server in LDAP_URL`;
    if (rights.includes(code)) return `let LDAP_BIND_DN search below ${setting} ${base}`;
    if (code === 4) return `it found too much: narrow ${filter}, or raise the directory's size limit of LDAP_BIND_DN`;
    if (code === 3 || code === 11) return `it found too much: narrow ${filter}, or index its attributes`;
    if ([16, 17, 18, 21, 2, 12].includes(code)) return `correct ${filter}`;
  }
  return "see the log of the directory";
}

type ConnectionError = NodeJS.ErrnoException & {
  readonly cert?: { readonly subjectaltname?: string; readonly subject: { readonly CN?: string } };
};

const noAuthority = new Set([
  "DEPTH_ZERO_SELF_SIGNED_CERT",
  "SELF_SIGNED_CERT_IN_CHAIN",
  "UNABLE_TO_GET_ISSUER_CERT",
  "UNABLE_TO_GET_ISSUER_CERT_LOCALLY",
  "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
]);

/** A failed connection whose message has the setting to correct. */
class ConnectionProblem extends Error {
  override readonly name = "ConnectionProblem";
}

/** The error with the setting to correct, where one is known. */
export function connectionProblem(step: Step, url: string, error: ConnectionError, settings: LdapSettings): Error {
  if (error instanceof DirectoryProblem || error instanceof ConnectionProblem) return error;
  const found = connectionRemedy(step, url, error, settings);
  return found === undefined ? error : new ConnectionProblem(`${failed(step)}: ${error.message}; ${found}`);
}

function connectionRemedy(
  step: Step,
  url: string,
  { code = "", message, cert }: ConnectionError,
  settings: LdapSettings,
): string | undefined {
  if (code === "ERR_TLS_CERT_ALTNAME_INVALID")
    return `LDAP_URL needs a name of the server's certificate, which has ${cert?.subjectaltname ?? `CN:${cert?.subject.CN} only`}`;
  if (noAuthority.has(code)) return "give the authority of the server's certificate in LDAP_CA_FILE";
  if (code === "CERT_HAS_EXPIRED") return "renew the server's certificate";
  if (/timed out|Connection timeout|no answer within/.test(message)) {
    const isSearch = step === "accounts" || step === "groups";
    const connecting = step === "password" ? "see the log of the directory" : "check the address in LDAP_URL";
    const other = isSearch ? `index the attributes of ${filterOf(step)}` : connecting;
    return `${other}, or raise LDAP_TIMEOUT_MILLISECONDS (${settings.LDAP_TIMEOUT_MILLISECONDS})`;
  }
  if (step !== "StartTLS" && step !== "search account") return undefined;
  if (url.startsWith("ldaps:") && /wrong version number|before secure TLS connection/.test(message))
    return "the port has no TLS: name the port for ldaps:// (636) in LDAP_URL, or use ldap:// with LDAP_STARTTLS=true";
  if (url.startsWith("ldap:") && message.startsWith("Connection closed"))
    return "if the port is for TLS, use ldaps:// in LDAP_URL";
  return undefined;
}
