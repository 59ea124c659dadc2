import type { Session } from "../interface.ts";
import { EngineError } from "../errors.ts";
import type { Parameter } from "../sql/expression.ts";
import { invalid } from "./invalid.ts";

/** Session variables sorted by name, as one JSON object; for functions with a session argument. */
function sessionObject(session: Session): string {
  const names = [...session.variables.keys()].sort();
  const all: Record<string, string> = { "x-hasura-role": session.role };
  for (const name of names) all[name] = session.variables.get(name) ?? "";
  all["x-hasura-role"] = session.role;
  return JSON.stringify(all);
}

/** Texts from this length on are created once per variable and type: a document can use a variable in many places. */
const longText = 1_000;

/** Limit of characters of all values of one statement; Postgres receives a value for each place that uses it. */
const maxCharacters = 2_000_000;

/** Resolves parameter values and counts their characters. */
class ParameterValues {
  readonly #variables: Readonly<Record<string, unknown>>;
  #long: Map<string, string> | undefined;
  #characters = 0;

  constructor(variables: Readonly<Record<string, unknown>>) {
    this.#variables = variables;
  }

  variable({ name, encode }: Parameter["source"] & { readonly kind: "variable" }, type: string): string | null {
    const known = this.#long?.get(`${name} ${type}`);
    const text = known ?? encode(Object.hasOwn(this.#variables, name) ? this.#variables[name] : undefined);
    if (text !== null && known === undefined && text.length >= longText)
      (this.#long ??= new Map()).set(`${name} ${type}`, text);
    return this.counted(text);
  }

  counted(text: string | null): string | null {
    this.#characters += text?.length ?? 0;
    if (this.#characters <= maxCharacters) return text;
    throw invalid(
      `the values of a statement hold more characters than the limit of ${maxCharacters}. Name long variables in fewer places`,
    );
  }
}

/**
 * The values of a statement's parameters for one request.
 * @throws EngineError not-found when a session variable is missing, so that a filter on it never matches all rows
 */
export function resolveParameters(
  parameters: readonly Parameter[],
  session: Session,
  variables: Readonly<Record<string, unknown>>,
): (string | null)[] {
  const values = new ParameterValues(variables);
  return parameters.map(({ source, type }) => {
    switch (source.kind) {
      case "constant":
        return values.counted(source.text);
      case "session": {
        const value = source.name === "x-hasura-role" ? session.role : session.variables.get(source.name);
        if (value === undefined)
          throw new EngineError({ code: "not-found", message: `missing session variable: "${source.name}"` });
        return value;
      }
      case "session-object":
        return sessionObject(session);
      default:
        return values.variable(source, type);
    }
  });
}
