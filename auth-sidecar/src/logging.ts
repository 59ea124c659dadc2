import { pino, type DestinationStream, type Logger } from "pino";

/** Names under which a secret or a person could slip into a log line; censored wherever they stand, up to three levels deep. */
const secretNames = [
  "password",
  "passwordHash",
  "password_hash",
  "token",
  "access_token",
  "authorization",
  "cookie",
  '["set-cookie"]',
  '["x-service-api-key"]',
  "sid",
  "sessionId",
  "privateKey",
  "secret",
  "email",
  "username",
];

/** JSON lines to standard output. */
export function createLogger(level: string, destination?: DestinationStream): Logger {
  return pino(
    {
      level,
      base: { service: "auth-sidecar" },
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      serializers: { err: describeError },
      redact: { paths: secretNames.flatMap((name) => depths(name)), censor: "[redacted]" },
    },
    destination ?? pino.destination(1),
  );
}

function depths(name: string): string[] {
  const dot = name.startsWith("[") ? "" : ".";
  return [name, `*${dot}${name}`, `*.*${dot}${name}`];
}

export interface DescribedError {
  readonly type: string;
  readonly message: string;
  readonly code?: string;
  readonly stack?: string;
  readonly cause?: DescribedError;
}

/** An error without the fields that drivers add, as those can hold parameters, rows and commands. */
export function describeError(error: unknown): DescribedError {
  if (!(error instanceof Error)) return { type: typeof error, message: "not an error" };
  const { code } = error as NodeJS.ErrnoException;
  return {
    type: error.name,
    message: error.message,
    ...(typeof code === "string" ? { code } : {}),
    ...(error.stack === undefined ? {} : { stack: error.stack }),
    ...(error.cause === undefined ? {} : { cause: describeError(error.cause) }),
  };
}
