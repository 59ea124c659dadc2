import { readFileSync } from "node:fs";

export type Environment = Readonly<Record<string, string | undefined>>;

export interface Variable {
  /** undefined where the variable is absent, or there is a problem. */
  readonly value?: string | undefined;
  /** A sentence that begins with the name of the variable. It repeats neither the value nor the path, in whose place a secret may stand. */
  readonly problem?: string;
}

/**
 * Value of a setting: `NAME`, or the content of the file that `NAME_FILE` names, without one line break at its end.
 * @param readFile replaces the file system in tests
 * @example readVariable({ KEY_FILE: "/run/secrets/key" }, "KEY").value
 */
export function readVariable(environment: Environment, name: string, readFile = (path: string): string => readFileSync(path, "utf8")): Variable {
  const [value, path] = [environment[name], environment[`${name}_FILE`]];
  if (path === undefined) return { value };
  if (value !== undefined) return { problem: `${name}: is given both as ${name} and as ${name}_FILE` };
  try {
    return { value: readFile(path).replace(/\r?\n$/, "") };
  } catch (error) {
    return { problem: `${name}_FILE: the file cannot be read (${(error as NodeJS.ErrnoException).code ?? "unknown error"})` };
  }
}

/** The environment without empty variables, for services in which an empty value means an absent one. */
export function withoutEmpty(environment: Environment): Environment {
  return Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== ""));
}
