import {
  InappropriateAuthError,
  OperationsError,
  ProtocolError,
  SizeLimitExceededError,
  StrongAuthRequiredError,
  UnavailableError,
  UnwillingToPerformError,
} from "ldapts";
import { expect, test } from "vitest";
import { AnswerTooLong, connectionProblem, problemOf, type Step } from "./directory-problems.ts";

const settings = {
  LDAP_URL: ["ldaps://a"],
  LDAP_STARTTLS: false,
  LDAP_BIND_DN: "cn=search",
  LDAP_USER_BASE: "ou=people",
  LDAP_GROUP_BASE: undefined,
  LDAP_TIMEOUT_MILLISECONDS: 3000,
};
const anonymous = { ...settings, LDAP_BIND_DN: undefined };
const [plain, upgraded] = [{ LDAP_URL: ["ldap://a"] }, { LDAP_URL: ["ldap://a"], LDAP_STARTTLS: true }];
const login = "The login of the search account failed: the directory answers ";

test.each([
  [
    "StartTLS",
    new ProtocolError(),
    settings,
    "StartTLS failed: the directory answers protocolError (2); the server has no StartTLS",
  ],
  ["StartTLS", new UnavailableError(), settings, "or no certificate: use ldaps:// in LDAP_URL"],
  [
    "search account",
    new InappropriateAuthError(),
    settings,
    `${login}inappropriateAuthentication (48); correct LDAP_BIND_DN`,
  ],
  [
    "search account",
    new InappropriateAuthError(),
    anonymous,
    "(48); it wants a login before a search: set LDAP_BIND_DN",
  ],
  ["accounts", new UnwillingToPerformError(), anonymous, "(53); it wants a login before a search"],
  // Active Directory.
  ["accounts", new OperationsError(), anonymous, "(1); it wants a login before a search"],
  ["accounts", new StrongAuthRequiredError(), anonymous, "(8); it wants a login before a search"],
  ["accounts", new StrongAuthRequiredError(), { ...anonymous, ...plain }, "(8); it wants TLS: use ldaps://"],
  ["password", new StrongAuthRequiredError(), { ...settings, ...upgraded }, "(8); see the log of the directory"],
  ["groups", new SizeLimitExceededError(), settings, "(4); it found too much: narrow LDAP_GROUP_FILTER, or raise"],
] as const)("%s: %s", (step, error, given, message) => {
  expect(problemOf(step, error, given).message).toContain(message);
});

test.each([
  [
    "accounts",
    settings,
    "The search for accounts failed: the directory answers with more than 1024 KiB; narrow LDAP_USER_FILTER",
  ],
  ["groups", settings, "shorten the attributes of the account"],
  ["groups", { ...settings, LDAP_GROUP_BASE: "ou=groups" }, "; narrow LDAP_GROUP_FILTER"],
  ["search account", settings, "see the log of the directory"],
] as const)("an answer to %s that is too long", (step, given, message) => {
  expect(new AnswerTooLong(step, 1024 * 1024, given).message).toContain(message);
});

const error = (message: string, more: object = {}) => Object.assign(new Error(message), more);
const otherName = { code: "ERR_TLS_CERT_ALTNAME_INVALID" };

test.each<[Step, string, Error, string]>([
  [
    "StartTLS",
    "ldap://192.0.2.1",
    error("mismatch", { ...otherName, cert: { subjectaltname: "DNS:ldap.example.net", subject: {} } }),
    "StartTLS failed: mismatch; LDAP_URL needs a name of the server's certificate, which has DNS:ldap.example.net",
  ],
  [
    "search account",
    "ldaps://a",
    error("mismatch", { ...otherName, cert: { subject: { CN: "b" } } }),
    "which has CN:b only",
  ],
  ["search account", "ldaps://a", error("self-signed", { code: "SELF_SIGNED_CERT_IN_CHAIN" }), "in LDAP_CA_FILE"],
  ["search account", "ldaps://a", error("expired", { code: "CERT_HAS_EXPIRED" }), "renew the server's certificate"],
  ["search account", "ldaps://a", error("wrong version number"), "the port has no TLS"],
  ["search account", "ldap://a:636", error("Connection closed before"), "use ldaps:// in LDAP_URL"],
  [
    "search account",
    "ldap://a",
    error("no answer within 3 s"),
    "check the address in LDAP_URL, or raise LDAP_TIMEOUT_",
  ],
  ["password", "ldap://a", error("Operation timed out"), "The login failed: Operation timed out; see the log"],
  [
    "groups",
    "ldap://a",
    error("Operation timed out"),
    "index the attributes of LDAP_GROUP_FILTER, or raise LDAP_TIMEOUT_",
  ],
])("%s at %s: %s", (step, url, given, message) => {
  const found = connectionProblem(step, url, given, settings);
  expect(found.message).toContain(message);
  expect(connectionProblem("search account", url, found, settings)).toBe(found);
});

test("an error without a known setting stays as it is", () => {
  const refused = error("connect ECONNREFUSED");
  expect(connectionProblem("search account", "ldap://a", refused, settings)).toBe(refused);
});
