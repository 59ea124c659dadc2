import { EngineError } from "../errors.ts";

/** A token whose claims have an invalid form. */
export function invalidClaims(message: string): EngineError {
  return new EngineError({ code: "jwt-invalid-claims", message });
}

export function missingRoleClaim(claim: string): EngineError {
  return new EngineError({ code: "jwt-missing-role-claims", message: `JWT claim does not contain ${claim}` });
}

/** The JSON type of a value, as Hasura's messages name it. */
export function encountered(value: unknown): string {
  if (value === null) return "Null";
  if (Array.isArray(value)) return "Array";
  const names: Record<string, string> = { string: "String", number: "Number", boolean: "Boolean", object: "Object" };
  return names[typeof value] ?? "Null";
}
