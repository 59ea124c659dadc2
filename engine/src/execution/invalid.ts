import { EngineError } from "../errors.ts";

/** A validation error of the request. @param path its JSONPath, as Hasura reports it */
export function invalid(message: string, path = "$"): EngineError {
  return new EngineError({ code: "validation-failed", path, message });
}

/** Hasura's other kind of error: a document or a value that cannot be parsed. */
export function unreadable(message: string, path = "$"): EngineError {
  return new EngineError({ code: "parse-failed", path, message });
}
