import { parseArgs } from "node:util";
import type { Command, Given } from "./command.ts";
import { UsageError } from "./usage-error.ts";

/** Reads the arguments of a verb. @throws UsageError for unknown options */
export function readArguments(command: Command, args: readonly string[]): Given {
  const options = Object.fromEntries(Object.entries(command.options).map(([name, { type, multiple }]) => [name, { type, multiple: multiple === true }]));
  let values: Readonly<Record<string, unknown>>;
  try {
    values = parseArgs({ args: [...args], options, allowPositionals: false, strict: true }).values;
  } catch (error) {
    const [reason = ""] = (error as Error).message.split(". ");
    throw new UsageError(`${reason}; see hasura-checks ${command.name} --help`);
  }
  return {
    text: (name) => (typeof values[name] === "string" ? values[name] : undefined),
    texts: (name) => (Array.isArray(values[name]) ? (values[name] as readonly string[]) : []),
    flag: (name) => values[name] === true,
  };
}
