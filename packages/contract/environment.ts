import { readText, UnreadableText } from "./written-text.ts";

export type Environment = Readonly<Record<string, string | undefined>>;

export interface Variable {
  /** undefined when the variable is absent, or there is a problem. */
  readonly value?: string | undefined;
  /** A sentence that starts with the name of the variable. It contains neither the value nor the path, because either may be a secret. */
  readonly problem?: string;
}

/** Value of a setting: `NAME`, or the text of the file in `NAME_FILE` without line ends at its end. @param readFile replaces the file system in tests */
export function readVariable(
  environment: Environment,
  name: string,
  readFile: (path: string) => string = readText,
): Variable {
  const [value, path] = [environment[name], environment[`${name}_FILE`]];
  if (path === undefined) return { value };
  if (value !== undefined) return { problem: `${name}: both ${name} and ${name}_FILE are set` };
  try {
    return { value: readFile(path).replace(/[\r\n]+$/, "") };
  } catch (error) {
    if (error instanceof UnreadableText) return { problem: `${name}_FILE: the file ${error.message}` };
    return {
      problem: `${name}_FILE: the file cannot be read (${(error as NodeJS.ErrnoException).code ?? "unknown error"})`,
    };
  }
}

/** The environment without empty variables, for services that treat an empty value as absent. */
export function withoutEmpty(environment: Environment): Environment {
  return Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== ""));
}

/** A whole-number setting of a service. The service declares it; the deployment uses its range, default and meaning. */
export interface NumberSetting {
  readonly minimum: number;
  readonly maximum: number;
  readonly default: number;
  /** One or two sentences, for every reference. */
  readonly meaning: string;
}
