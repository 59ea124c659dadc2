import { byTurn } from "@routeql/contract/log-lines";
import { destination, pino, stdTimeFunctions, type DestinationStream, type Logger } from "pino";

/** No secret is ever passed to the logger. As a safeguard, these keys are redacted. */
const secretKeys = ["authorization", "cookie", "token", "secret", "password", "key", "variables", "headers", "query"];

/** JSON lines on standard output. */
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

/** If writing fails, for example on a full disk, up to one mebibyte of lines is buffered and further lines are lost; the engine keeps running. */
function standardOutput(): DestinationStream {
  const stream = destination({ dest: 1, sync: true, maxLength: 1024 * 1024 });
  stream.on("error", () => undefined);
  const lines = byTurn(stream);
  process.on("exit", () => lines.flushSync());
  return lines;
}
