import { parseArgs } from "node:util";
import { optionTakenByNpm } from "@routeql/database-access/command-line";
import { Failure, messageOf } from "@routeql/host/failure";
import { nearest } from "@routeql/metadata/nearest";

export interface OptionDescription {
  readonly type: "string" | "boolean";
  readonly short?: string;
  /** Name of the value in the help text. */
  readonly value?: string;
  readonly default?: string;
  readonly meaning: string;
}

export interface CommandDescription {
  readonly name: string;
  readonly summary: string;
  /** Operands after the options, as in the first line of the help text. */
  readonly operands?: string;
  readonly options: Readonly<Record<string, OptionDescription>>;
  /** Unknown options go to the called program unchanged. */
  readonly passesOn?: boolean;
  /** Lines after the options. */
  readonly notes?: readonly string[];
}

export interface ParsedArguments {
  readonly help: boolean;
  readonly text: (name: string) => string;
  readonly optionalText: (name: string) => string | undefined;
  readonly flag: (name: string) => boolean;
  /** Operands; with `passesOn`, all arguments that this command does not know, in order. */
  readonly rest: readonly string[];
}

const common = {
  stack: { type: "string", value: "NAME", default: "local", meaning: "the stack to work on" },
  help: { type: "boolean", short: "h", meaning: "show this text" },
} as const satisfies Record<string, OptionDescription>;

const optionsOf = (command: CommandDescription): Record<string, OptionDescription> => ({
  ...command.options,
  ...common,
});

/** Parses a command's arguments. @throws Failure naming the unknown option, the nearest known one and the help command */
export function parseArguments(
  command: CommandDescription,
  args: readonly string[],
  environment: Readonly<Record<string, string | undefined>> = process.env,
): ParsedArguments {
  const taken = optionTakenByNpm(helpText(command), environment);
  if (taken) throw new Failure(`${command.name}: npm took the option --${taken.name}`, { remedy: taken.remedy });
  const known = optionsOf(command);
  const [ours, passedOn] = command.passesOn ? separate(known, args) : [args, []];
  const { values, positionals } = parseKnown(command, known, ours);
  const text = (name: string): string | undefined => {
    const value = values[name] ?? known[name]?.default;
    return typeof value === "string" ? value : undefined;
  };
  return {
    help: values.help === true,
    text: (name) => text(name) ?? "",
    optionalText: text,
    flag: (name) => values[name] === true,
    rest: command.passesOn ? passedOn : positionals,
  };
}

function parseKnown(
  command: CommandDescription,
  known: Record<string, OptionDescription>,
  args: readonly string[],
): { values: Record<string, string | boolean | undefined>; positionals: string[] } {
  const options = Object.fromEntries(
    Object.entries(known).map(([name, { type, short }]) => [name, short ? { type, short } : { type }]),
  );
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      options,
      allowPositionals: command.operands !== undefined,
      strict: true,
    });
    return { values, positionals };
  } catch (error) {
    const unknown = /^Unknown option '(-+)([^']+)'/.exec(messageOf(error));
    const guess = unknown?.[2] && nearest(unknown[2], Object.keys(known));
    const what = unknown ? `unknown option ${unknown[1]}${unknown[2]}` : messageOf(error).split(". ")[0]!.toLowerCase();
    throw new Failure(`${command.name}: ${what}`, {
      remedy: `${guess ? `did you mean --${guess}? ` : ""}\`npm run ${command.name} -- --help\` lists its options.`,
      cause: error,
    });
  }
}

/** Separates the options of this command from arguments for another program. Everything after a `--` belongs to the other program. */
function separate(
  known: Record<string, OptionDescription>,
  args: readonly string[],
): [ours: string[], others: string[]] {
  const ours: string[] = [];
  const others: string[] = [];
  for (let index = 0; index < args.length; index++) {
    const argument = args[index]!;
    if (argument === "--") return [ours, [...others, ...args.slice(index + 1)]];
    const [, long, equals] = /^--([a-z-]+)(=.*)?$/.exec(argument) ?? [];
    const description = long === undefined ? undefined : known[long];
    if (!description) others.push(argument);
    else if (description.type === "boolean" || equals !== undefined) ours.push(argument);
    else ours.push(argument, ...args.slice(++index, index + 1));
  }
  return [ours, others];
}

export function helpText(command: CommandDescription): string {
  const rows = Object.entries(optionsOf(command)).map(([name, { short, value, default: standard, meaning }]) => [
    `  ${short ? `-${short}, ` : ""}--${name}${value ? ` ${value}` : ""}`,
    `${meaning}${standard === undefined ? "" : ` (${standard})`}`,
  ]);
  const width = Math.max(...rows.map(([left]) => left!.length)) + 2;
  return [
    `npm run ${command.name} [-- OPTIONS]${command.operands ? ` ${command.operands}` : ""}`,
    "",
    command.summary,
    "",
    ...rows.map(([left, right]) => `${left!.padEnd(width)}${right}`),
    ...(command.notes ? ["", ...command.notes] : []),
  ].join("\n");
}

const stackName = /^[a-z0-9]([a-z0-9-]{0,38}[a-z0-9])?$/;

/** A stack's name becomes part of container names, folder names and labels. */
export function checkStackName(name: string): string {
  if (stackName.test(name)) return name;
  throw new Failure(`"${name}" cannot be the name of a stack`, {
    remedy: "use up to 40 lower-case letters, digits and hyphens; start and end with a letter or digit.",
  });
}

/** ` --stack NAME` for a stack other than the default one, else nothing. */
export const stackOption = (stack: string): string => (stack === common.stack.default ? "" : ` --stack ${stack}`);

/** The same for a command without other arguments: ` -- --stack NAME`. */
export const stackArgument = (stack: string): string => (stackOption(stack) === "" ? "" : ` --${stackOption(stack)}`);

/** The failure of a command that needs a running stack. */
export class NotUp extends Failure {}

export const notUp = (stack: string): NotUp =>
  new NotUp(`The stack ${stack} is not up`, { remedy: `run \`npm run up${stackArgument(stack)}\`.` });

export interface Command {
  readonly description: CommandDescription;
  /** Prints the help of the called program instead of the command's description. */
  readonly help?: () => Promise<void>;
  /** Without it, Ctrl-C prints a message and aborts the signal; `own`: the command's program handles it. */
  readonly onInterrupt?: "silent" | "own";
  /** Prints a stream of any length, so that it ends when nothing reads its output. Others continue. */
  readonly endsWithOutput?: true;
  /** Resolves to the exit code; by default 0. */
  readonly run: (stack: string, args: ParsedArguments, signal: AbortSignal) => Promise<number | void>;
}
