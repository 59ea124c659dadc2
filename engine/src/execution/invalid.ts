import { EngineError } from "../errors.ts";

/** An error of the request. @param path JSONPath of its place, as Hasura gives it */
export function invalid(message: string, path = "$"): EngineError {
  return new EngineError({ code: "validation-failed", path, message });
}

/** Hasura's other kind: a document or a value that cannot be read. */
export function unreadable(message: string, path = "$"): EngineError {
  return new EngineError({ code: "parse-failed", path, message });
}
