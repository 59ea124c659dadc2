/** Rotation of the generated secrets: a section of the list in list.ts. `npm run rotate` raises these numbers (docs/operate/secrets.md). */
import { range, strongSecret } from "../values/checks.ts";
import { type Check, givenSecret, number, text } from "../values/setting.ts";

const generation = (what: string) =>
  number({
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
const until = (key: string) => text({ meaning: `Time until which the previous ${key} is accepted.`, ...moment });
const previous = (key: string) =>
  givenSecret({ meaning: `Previous ${key}, if you set the key yourself.`, ...strongSecret(32) });

export const rotationSettings = {
  databasePasswordsGeneration: generation("the database passwords"),
  sessionsPasswordGeneration: generation("the session store's password"),
  serviceApiKeyGeneration: generation("the service key"),
  previousServiceApiKey: { ...previous("service key"), group: "authSidecar" },
  previousServiceApiKeyUntil: { ...until("service key"), group: "authSidecar", service: "auth-sidecar" },
  engineAccessKeyGeneration: generation("the master key"),
  previousEngineAccessKey: { ...previous("master key"), group: "engine" },
  previousEngineAccessKeyUntil: { ...until("master key"), group: "engine" },
  keyEncryptionKeyGeneration: generation("the key encryption key"),
  tlsGeneration: generation("the gateway's private key"),
} as const;
