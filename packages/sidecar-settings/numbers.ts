import type { NumberSetting } from "@routeql/contract/environment";

/** Names that a user of the deployment writes; the variable's name is that of the environment file too. */
export interface DeployedNumber<Argument extends string = string> extends NumberSetting {
  /** Key in the stack's configuration. */
  readonly key: string;
  /** Argument of the component, with its group. */
  readonly argument: Argument;
}

/** Whole numbers: the sidecar and the deployment take their range, default and meaning from here. */
export const numberSettings = {
  TOKEN_LIFE_SECONDS: {
    key: "tokenLifeSeconds",
    argument: "authSidecar.tokenLifeSeconds",
    minimum: 60,
    maximum: 3600,
    default: 900,
    meaning: "Life of an access token.",
  },
  TOKEN_CLOCK_TOLERANCE_SECONDS: {
    key: "tokenClockToleranceSeconds",
    argument: "authSidecar.tokenClockToleranceSeconds",
    minimum: 0,
    maximum: 30,
    default: 1,
    meaning:
      "Difference between the clocks of the services that tokens tolerate. After a change of an account, its next token waits longer.",
  },
  SESSION_IDLE_SECONDS: {
    key: "sessionIdleSeconds",
    argument: "authSidecar.sessionIdleSeconds",
    minimum: 1,
    maximum: 86_400,
    default: 900,
    meaning: "Idle limit of a session.",
  },
  SESSION_ABSOLUTE_SECONDS: {
    key: "sessionAbsoluteSeconds",
    argument: "authSidecar.sessionAbsoluteSeconds",
    minimum: 1,
    maximum: 2_592_000,
    default: 28_800,
    meaning: "Limit of a session after its login.",
  },
  LOGIN_ATTEMPTS_PER_ACCOUNT: {
    key: "loginAttemptsPerAccount",
    argument: "authSidecar.loginAttemptsPerAccount",
    minimum: 1,
    maximum: 1000,
    default: 10,
    meaning: "Failed logins of one account from one address in a window; ten times as many from all addresses.",
  },
  LOGIN_ATTEMPTS_PER_ADDRESS: {
    key: "loginAttemptsPerAddress",
    argument: "authSidecar.loginAttemptsPerAddress",
    minimum: 1,
    maximum: 100_000,
    default: 50,
    meaning: "Failed logins from one address to all accounts in a window.",
  },
  LOGIN_WINDOW_SECONDS: {
    key: "loginWindowSeconds",
    argument: "authSidecar.loginWindowSeconds",
    minimum: 1,
    maximum: 86_400,
    default: 900,
    meaning: "Window in which failed logins count.",
  },
  PASSWORD_HASH_CONCURRENCY: {
    key: "passwordHashConcurrency",
    argument: "authSidecar.passwordHashConcurrency",
    minimum: 1,
    maximum: 64,
    default: 2,
    meaning: "Concurrent password hashes; each uses a core and 19 MiB.",
  },
  PASSWORD_HASH_QUEUE: {
    key: "passwordHashQueue",
    argument: "authSidecar.passwordHashQueue",
    minimum: 0,
    maximum: 10_000,
    default: 64,
    meaning: "Logins that may wait for a password hash before 429.",
  },
  KEY_ROTATION_HOURS: {
    key: "keyRotationHours",
    argument: "authSidecar.keyRotationHours",
    minimum: 0,
    maximum: 8784,
    default: 720,
    meaning: "Age at which the signing key is rotated; 0 never rotates.",
  },
  LDAP_TIMEOUT_MILLISECONDS: {
    key: "ldapTimeoutMilliseconds",
    argument: "directory.timeoutMilliseconds",
    minimum: 100,
    maximum: 30_000,
    default: 3000,
    meaning: "Maximum wait for one answer of an LDAP server.",
  },
  LDAP_CHECK_SECONDS: {
    key: "ldapCheckSeconds",
    argument: "directory.checkSeconds",
    minimum: 5,
    maximum: 3600,
    default: 30,
    meaning: "Interval in seconds at which accounts with valid tokens are read from the directory.",
  },
  BODY_LIMIT_KILOBYTES: {
    key: "bodyLimitKilobytes",
    argument: "bodyLimitKilobytes",
    minimum: 1,
    maximum: 10_240,
    default: 256,
    meaning: "Maximum size of a request body.",
  },
} as const satisfies Record<string, DeployedNumber>;
