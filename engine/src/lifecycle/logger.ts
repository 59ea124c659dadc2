import { destination, pino, stdTimeFunctions, type DestinationStream, type Logger } from "pino";

/** Nothing that opens anything is ever handed to the logger; should it happen, these keys are cut out. */
const secretKeys = ["authorization", "cookie", "token", "secret", "password", "key", "variables", "headers", "query"];

/** JSON lines on standard output. Requests are logged at `debug`: the gateway in front writes the access log. */
export function createLogger(level: string, stream: DestinationStream = standardOutput()): Logger {
  return pino(
    {
      level,
      base: undefined,
      messageKey: "message",
      timestamp: stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      redact: { paths: secretKeys.flatMap((key) => [key, `*.${key}`]), censor: "[redacted]" },
    },
    stream,
  );
}

/** Where nothing can be written, on a full disk say, lines wait up to a mebibyte, and further ones are lost; the engine goes on. */
function standardOutput(): DestinationStream {
  const stream = destination({ dest: 1, sync: true, maxLength: 1024 * 1024 });
  stream.on("error", () => undefined);
  return stream;
}
