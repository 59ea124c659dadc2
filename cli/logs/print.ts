import { Failure } from "@routeql/host/failure";
import { asJson, asText, byTime, type LogLine, type LogSource, readLogLine } from "./log-line.ts";
import type { LogOptions } from "./log-options.ts";

/** A container whose output can be read. `read` resolves at the end of its output. */
export interface LogReader extends LogSource {
  /** Text before each line. */
  readonly label: string;
  readonly read: (onLine: (line: string) => void) => Promise<void>;
}

/** The containers of the named services, or all. @throws Failure for a service that the stack does not have */
export function selectReaders<Reader extends LogSource>(
  readers: readonly Reader[],
  wanted: readonly string[],
): readonly Reader[] {
  const services = [...new Set(readers.map(({ service }) => service))];
  const unknown = wanted.filter((name) => !services.includes(name));
  if (unknown.length > 0)
    throw new Failure(`There is no service ${unknown.join(", ")}`, { remedy: `choose from ${services.join(", ")}.` });
  return wanted.length === 0 ? readers : readers.filter(({ service }) => wanted.includes(service));
}

/** Prints the logs of containers: in order of time, or with `follow` as the lines arrive. */
export async function printLogs(
  readers: readonly LogReader[],
  { follow, requestId, json }: Pick<LogOptions, "follow" | "requestId" | "json">,
  signal: AbortSignal,
  print = (line: string): void => void process.stdout.write(`${line}\n`),
): Promise<void> {
  const width = Math.max(...readers.map(({ label }) => label.length));
  const labels = new Map(readers.map(({ container, label }) => [container, label.padEnd(width)]));
  const show = (line: LogLine): void => print(json ? asJson(line) : asText(line, labels.get(line.container)!));
  const found: LogLine[] = [];
  const readOne = async (reader: LogReader): Promise<void> =>
    reader.read((text) => {
      if (requestId !== undefined && !text.includes(requestId)) return;
      const line = readLogLine({ service: reader.service, container: reader.container }, text);
      if (follow) show(line);
      else found.push(line);
    });
  if (follow) {
    await Promise.all(
      readers.map((reader) =>
        readOne(reader).catch((error: unknown) => signal.aborted || Promise.reject(error as Error)),
      ),
    );
    return;
  }
  for (const reader of readers) await readOne(reader);
  for (const line of found.toSorted(byTime)) show(line);
}
