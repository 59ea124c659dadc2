import { readFileSync } from "node:fs";

export type Environment = Readonly<Record<string, string | undefined>>;

export interface EnvironmentReading {
  /** Values by name; `<NAME>_FILE` has been read. Empty values count as absent. */
  readonly values: Readonly<Record<string, string | undefined>>;
  /** One sentence each, beginning with the name; values are never repeated. */
  readonly problems: readonly string[];
}

const ours = /^(?:HASURA_GRAPHQL|ENGINE)_/;

/**
 * The known names out of the environment, each from `NAME` or from the file that `NAME_FILE` names, less one trailing newline.
 * A name of ours that is not known is a problem: it is a misspelling, or a setting that this engine does not have.
 */
export function readEnvironment(
  environment: Environment,
  known: ReadonlySet<string>,
  passedThrough: ReadonlySet<string>,
): EnvironmentReading {
  const values: Record<string, string> = {};
  const problems: string[] = [];
  for (const [name, value] of Object.entries(environment)) {
    if (value === undefined || value === "" || !ours.test(name)) continue;
    const base = name.endsWith("_FILE") ? name.slice(0, -"_FILE".length) : name;
    if (passedThrough.has(base)) continue;
    if (!known.has(base)) {
      problems.push(`${name}: is not a setting of this engine`);
    } else if (base === name) {
      values[name] = value;
    } else if (environment[base] !== undefined && environment[base] !== "") {
      problems.push(`${base}: is given both as ${base} and as ${name}`);
    } else {
      readInto(values, problems, base, value);
    }
  }
  return { values, problems };
}

function readInto(values: Record<string, string>, problems: string[], name: string, path: string): void {
  try {
    values[name] = readFileSync(path, "utf8").replace(/\r?\n$/, "");
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : "unknown";
    problems.push(`${name}_FILE: the file cannot be read (${code})`);
  }
}
