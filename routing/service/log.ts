import { bufferLines, isoTime } from "@routeql/contract/log-lines";
import { type Logger, pino } from "pino";

export interface FeedLogger {
  info(fields: object, sentence: string): void;
  warn(fields: object, sentence: string): void;
  error(fields: object, sentence: string): void;
}

/** JSON lines on standard output. The errors of drivers keep only their message and code, because other fields can hold rows. */
export function createLogger(level: string): Logger {
  const stream = pino.destination({ dest: 1, sync: true, maxLength: 1024 * 1024 });
  stream.on("error", () => undefined);
  const destination = bufferLines(stream);
  process.on("exit", () => destination.flushSync());
  return pino(
    {
      level,
      base: { service: "feed" },
      timestamp: isoTime,
      formatters: { level: (label) => ({ level: label }) },
      serializers: {
        err: (error: unknown) =>
          error instanceof Error
            ? { type: error.name, message: error.message, code: (error as NodeJS.ErrnoException).code }
            : { type: typeof error },
      },
    },
    destination,
  );
}
