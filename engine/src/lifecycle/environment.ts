import { type Environment, readVariable, withoutEmpty } from "@routeql/contract/environment";

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
