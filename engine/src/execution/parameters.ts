import type { Session } from "../engine.ts";
import { EngineError } from "../errors.ts";
import type { Parameter } from "../sql/expression.ts";

/** Names of session variables in the order of their names, as one JSON object; for functions with a session argument. */
function sessionObject(session: Session): string {
  const names = [...session.variables.keys()].sort();
  const all: Record<string, string> = { "x-hasura-role": session.role };
  for (const name of names) all[name] = session.variables.get(name) ?? "";
  all["x-hasura-role"] = session.role;
  return JSON.stringify(all);
}

/**
 * The values of a statement's parameters for one request.
 * @throws EngineError not-found when a session variable is missing: a filter that needs it never stays open
 */
export function resolveParameters(parameters: readonly Parameter[], session: Session, variables: Readonly<Record<string, unknown>>): (string | null)[] {
  return parameters.map(({ source }) => {
    switch (source.kind) {
      case "constant":
        return source.text;
      case "session": {
        const value = source.name === "x-hasura-role" ? session.role : session.variables.get(source.name);
        if (value === undefined) throw new EngineError({ code: "not-found", message: `missing session variable: "${source.name}"` });
        return value;
      }
      case "session-object":
        return sessionObject(session);
      default:
        return source.encode(Object.hasOwn(variables, source.name) ? variables[source.name] : undefined);
    }
  });
}
