/** Every setting of the sidecar: an environment variable `NAME`, or `NAME_FILE` with the path of a file that contains the value. */
import { type Environment, readVariable } from "@routeql/contract/environment";
import { isRoleName } from "@routeql/contract/roles";
import { readText } from "@routeql/contract/written-text";
import { traceSettings } from "@routeql/tracing/settings";
import { z } from "zod";
import { tokenAlgorithm } from "@routeql/sidecar-settings/token-algorithm";
import { ldapContradictions, ldapSettings } from "@routeql/sidecar-settings/directory";
import { numberSettings } from "@routeql/sidecar-settings/numbers";
import { address, identifier, secret, sessionsAddress, wholeNumber, wholeNumbers } from "./setting-types.ts";

const port = (byDefault: number) => wholeNumber(0, 65_535, byDefault);

const traceEndpoint = z.string().superRefine((value, context) => {
  const problem = traceSettings.TRACE_ENDPOINT.problem(value);
  if (problem !== undefined) context.addIssue(problem);
});

const schema = z.object({
  PORT: port(8080).describe("Port of the endpoints; 0 takes a free one."),
  METRICS_PORT: port(9090).describe("Port of /metrics; never published."),
  DATABASE_URL: address(["postgres", "postgresql"]).describe("Postgres, as the role that owns no table."),
  DATABASE_POOL_SIZE: wholeNumber(1, 100, 10).describe("Maximum number of connections to Postgres."),
  SESSIONS_URL: sessionsAddress.describe("Redis or Valkey, for sessions and throttling."),
  SESSIONS_CA: z
    .string()
    .optional()
    .describe("PEM of the authority of the store's certificate (rediss://). Default: Node's own list."),
  GATEWAY_KEY: secret(32)
    .optional()
    .describe(
      "Value of x-gateway-key, which the gateway sends: the other clients of the public endpoints get 404. Without it X-Forwarded-For counts for nothing.",
    ),
  SERVICE_API_KEY: secret(32).describe("Value of x-service-api-key in the session flow."),
  PREVIOUS_SERVICE_API_KEY: secret(32).optional().describe("The value before the last rotation."),
  PREVIOUS_SERVICE_API_KEY_UNTIL: z.iso
    .datetime({ offset: true, error: "must be a time such as 2026-01-31T13:45:00Z" })
    .optional()
    .describe("Time until which the previous value is accepted."),
  KEY_ENCRYPTION_KEY: secret(32).describe("Encrypts the private signing keys in Postgres."),
  PREVIOUS_KEY_ENCRYPTION_KEY: secret(32)
    .optional()
    .describe("The previous value: the start re-encrypts keys that are encrypted with it."),
  TOKEN_ISSUER: identifier("routeql").describe("Claim iss."),
  TOKEN_AUDIENCE: identifier("routeql").describe("Claim aud."),
  ...wholeNumbers(numberSettings),
  TOKEN_ALGORITHM: tokenAlgorithm,
  TOKEN_CONCURRENCY: wholeNumber(1, 10_000, 256).describe("Concurrent token requests of the session flow."),
  TOKEN_QUEUE: wholeNumber(0, 100_000, 10_000).describe(
    "Token requests that may wait, for at most one second, and as many after a change of their account; further ones get 429.",
  ),
  JWKS_MAX_AGE_SECONDS: wholeNumber(1, 3600, 60).describe("Seconds for which verifiers may cache the published keys."),
  KEY_REFRESH_SECONDS: wholeNumber(1, 60, 10).describe(
    "Interval in seconds at which a replica reads keys of other replicas.",
  ),
  OWN_ROLES: z
    .string()
    .default("")
    .transform((value) => value.split(",").filter(isRoleName))
    .describe("Roles of the operator's metadata, separated by commas."),
  ...ldapSettings,
  TRACE_ENDPOINT: traceEndpoint.optional().describe(traceSettings.TRACE_ENDPOINT.meaning),
  TRACE_PERCENT: wholeNumber(
    traceSettings.TRACE_PERCENT.minimum,
    traceSettings.TRACE_PERCENT.maximum,
    traceSettings.TRACE_PERCENT.default,
  ).describe(traceSettings.TRACE_PERCENT.meaning),
  SHUTDOWN_SECONDS: wholeNumber(1, 300, 8).describe("Seconds for running requests when the service stops."),
  LOG_LEVEL: z
    .enum(["fatal", "error", "warn", "info", "debug", "trace", "silent"], "must be a pino level")
    .default("info")
    .describe("Minimum log level."),
});

export type Settings = Readonly<z.output<typeof schema>>;

/** All problems of the settings, one line each. Never contains a value. */
export class SettingsError extends Error {
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(["The settings are wrong:", ...problems.map((problem) => `  ${problem}`)].join("\n"));
    this.name = "SettingsError";
    this.problems = problems;
  }
}

/** @throws {SettingsError} with all problems */
export function readSettings(environment: Environment, readFile: (path: string) => string = readText): Settings {
  const { values, problems } = gather(environment, readFile);
  const parsed = schema.safeParse(values);
  for (const issue of parsed.error?.issues ?? []) {
    const name = String(issue.path[0]);
    if (!problems.some((problem) => problem.startsWith(`${name}:`) || problem.startsWith(`${name}_FILE:`)))
      problems.push(`${name}: ${issue.message}`);
  }
  problems.push(...contradictions(parsed.data, values));
  if (problems.length > 0 || parsed.data === undefined) throw new SettingsError(problems);
  return Object.freeze(parsed.data);
}

export interface SettingDescription {
  readonly name: string;
  readonly purpose: string;
  /** The default as a user would write it; undefined for a setting without one. */
  readonly byDefault: string | undefined;
}

/** One row per setting, in the order of the list above. */
export function settingsReference(): readonly SettingDescription[] {
  return Object.entries(schema.shape).map(([name, type]) => {
    const byDefault: unknown =
      type instanceof z.ZodDefault || type instanceof z.ZodPrefault ? type.def.defaultValue : undefined;
    const isShown = ["string", "number", "boolean"].includes(typeof byDefault);
    return { name, purpose: type.description ?? "", byDefault: isShown ? String(byDefault) : undefined };
  });
}

const names = Object.keys(schema.shape);
const prefixes = [
  "BODY_",
  "DATABASE_",
  "JWKS_",
  "KEY_",
  "LDAP_",
  "LOGIN_",
  "METRICS_",
  "PASSWORD_",
  "PREVIOUS_",
  "SERVICE_",
  "SESSION_",
  "SESSIONS_",
  "SHUTDOWN_",
  "TOKEN_",
  "TRACE_",
];
/** Kubernetes adds such variables to every pod for each Service of the namespace. */
const serviceLink = /_(SERVICE_HOST|SERVICE_PORT(_\w+)?|PORT|PORT_\d+_(TCP|UDP)(_\w+)?)$/;

function gather(environment: Environment, readFile: (path: string) => string) {
  const values: Record<string, string> = {};
  const problems: string[] = [];
  for (const [variable, value] of Object.entries(environment)) {
    const known = names.includes(variable) || names.includes(variable.replace(/_FILE$/, ""));
    if (
      value !== undefined &&
      !known &&
      prefixes.some((prefix) => variable.startsWith(prefix)) &&
      !serviceLink.test(variable)
    )
      problems.push(`${variable}: is not a setting`);
  }
  for (const name of names) {
    const { value, problem } = readVariable(environment, name, readFile);
    if (value !== undefined) values[name] = value;
    if (problem !== undefined) problems.push(problem);
  }
  return { values, problems };
}

function contradictions(settings: Settings | undefined, values: Record<string, string>): string[] {
  const problems: string[] = [];
  if (settings !== undefined && settings.SESSION_ABSOLUTE_SECONDS < settings.SESSION_IDLE_SECONDS) {
    problems.push("SESSION_ABSOLUTE_SECONDS: must not be less than SESSION_IDLE_SECONDS");
  }
  if (settings !== undefined) problems.push(...ldapContradictions(settings));
  const secretNames = [
    "SERVICE_API_KEY",
    "PREVIOUS_SERVICE_API_KEY",
    "KEY_ENCRYPTION_KEY",
    "PREVIOUS_KEY_ENCRYPTION_KEY",
  ];
  const secrets = secretNames.flatMap((name) => (values[name] === undefined ? [] : [values[name]]));
  if (new Set(secrets).size < secrets.length) problems.push(`${secretNames.join(", ")}: must differ from each other`);
  return problems;
}
