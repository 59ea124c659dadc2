import { readRegularText, readText, UnreadableText } from "@routeql/contract/written-text";
import { YamlFile } from "@routeql/metadata/read/yaml";
import { UsageError } from "./usage-error.ts";

/** Files that a shell names for a pipe; of all others, a pipe or a device was put there by another person. */
const ofShell = /^\/(dev|proc)\//;

/** Reads a text file of the user. @param name of the file or its option, in errors @throws UsageError */
export function readTextOf(path: string, name: string): string {
  try {
    return ofShell.test(path) ? readText(path) : readRegularText(path);
  } catch (error) {
    if (error instanceof UnreadableText) throw new UsageError(`${name} ${error.message}`);
    throw new UsageError(`${name} cannot be read: ${(error as NodeJS.ErrnoException).code ?? ""}`);
  }
}

/** The content of a YAML file of the user. @throws UsageError with the line */
export function yamlOf(text: string, name: string): unknown {
  const { value, problem } = new YamlFile(text).read();
  if (problem !== undefined) throw new UsageError(`${name}:${problem.line}: ${problem.reason}`);
  return value;
}
