import { type Environment, readVariable, withoutEmpty } from "@routeql/contract/environment";

export interface EnvironmentReading {
  /** Values by name; `<NAME>_FILE` is already resolved. Empty values count as absent. */
  readonly values: Readonly<Record<string, string | undefined>>;
  /** One sentence each, starting with the name; never with a value. */
  readonly problems: readonly string[];
}

const ours = /^(?:HASURA_GRAPHQL|ENGINE|TRACE)_/;

/**
 * Reads the known names from the environment, each from `NAME` or from the file in `NAME_FILE`, without one trailing newline. An unknown
 * name with this engine's prefix is a problem: a misspelling, or a setting that this engine lacks.
 */
export function readEnvironment(
  environment: Environment,
  known: ReadonlySet<string>,
  passedThrough: ReadonlySet<string>,
): EnvironmentReading {
  const values: Record<string, string> = {};
  const problems: string[] = [];
  const given = withoutEmpty(environment);
  for (const name of Object.keys(given)) {
    const base = name.replace(/_FILE$/, "");
    if (!ours.test(name) || passedThrough.has(base)) continue;
    if (!known.has(base)) {
      problems.push(`${name}: is not a setting of this engine`);
      continue;
    }
    const { value, problem } = readVariable(given, base);
    if (value !== undefined) values[base] = value;
    if (problem !== undefined && !problems.includes(problem)) problems.push(problem);
  }
  return { values, problems };
}
