/** Rotation of the generated secrets: a section of the list in list.ts. `npm run rotate` raises these numbers (docs/operate/secrets.md). */
import { range, strongSecret } from "../values/checks.ts";
import { type Check, givenSecret, type Names, number, type Setting, text } from "../values/setting.ts";

const generation = <const Given extends Names>(names: Given, what: string) =>
  number({
    ...names,
    structural: true,
    default: 1,
    meaning: `Generation of ${what}; \`npm run rotate\` raises it.`,
    ...range(1, 1000),
  });

const moment: { check: Check<"text">; allowed: string } = {
  check: (value) =>
    /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)$/.test(value) && !Number.isNaN(Date.parse(value))
      ? undefined
      : `must be a time such as 2026-01-31T13:45:00Z, not ${JSON.stringify(value)}`,
  allowed: "a time with its zone",
};
const until = <const Given extends Names & Pick<Setting, "variable">>(names: Given, key: string) =>
  text({ ...names, meaning: `Time until which the previous ${key} is accepted.`, ...moment });
const previous = <const Given extends Names>(names: Given, key: string) =>
  givenSecret({ ...names, meaning: `Previous ${key}, if you set the key yourself.`, ...strongSecret(32) });

export const rotationSettings = {
  databasePasswordsGeneration: generation(
    { argument: "database.passwordsGeneration", environment: "DATABASE_PASSWORDS_GENERATION" },
    "the database passwords",
  ),
  sessionsPasswordGeneration: generation(
    { argument: "sessions.passwordGeneration", environment: "SESSIONS_PASSWORD_GENERATION" },
    "the session store's password",
  ),
  serviceApiKeyGeneration: generation(
    { argument: "authSidecar.serviceApiKeyGeneration", environment: "SERVICE_API_KEY_GENERATION" },
    "the service key",
  ),
  previousServiceApiKey: previous(
    { argument: "authSidecar.previousServiceApiKey", environment: "PREVIOUS_SERVICE_API_KEY" },
    "service key",
  ),
  previousServiceApiKeyUntil: until(
    {
      argument: "authSidecar.previousServiceApiKeyUntil",
      environment: "PREVIOUS_SERVICE_API_KEY_UNTIL",
      variable: "PREVIOUS_SERVICE_API_KEY_UNTIL",
    },
    "service key",
  ),
  engineAccessKeyGeneration: generation(
    { argument: "engine.accessKeyGeneration", environment: "ENGINE_ACCESS_KEY_GENERATION" },
    "the master key",
  ),
  previousEngineAccessKey: previous(
    { argument: "engine.previousEngineAccessKey", environment: "PREVIOUS_ENGINE_ACCESS_KEY" },
    "master key",
  ),
  previousEngineAccessKeyUntil: until(
    { argument: "engine.previousEngineAccessKeyUntil", environment: "PREVIOUS_ENGINE_ACCESS_KEY_UNTIL" },
    "master key",
  ),
  keyEncryptionKeyGeneration: generation(
    { argument: "authSidecar.keyEncryptionKeyGeneration", environment: "KEY_ENCRYPTION_KEY_GENERATION" },
    "the key encryption key",
  ),
  tlsGeneration: generation({ argument: "tls.generation", environment: "TLS_GENERATION" }, "the gateway's private key"),
} as const;
