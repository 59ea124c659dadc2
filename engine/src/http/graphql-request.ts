import type { GraphQLRequest } from "../engine.ts";
import { EngineError } from "../errors.ts";
import { graphqlName } from "@routeql/metadata/names/naming";
import { kindOf, mismatch } from "../schema/values.ts";

/** Deepest nesting of lists and objects in variables. Everything that follows them by recursion fits on the stack. */
const deepest = 500;

const longestNameShown = 256;

/** What Hasura calls a request in its messages. */
const requestName = "Hasura.GraphQL.Transport.HTTP.Protocol.GQLReq(GQLReq)";

/**
 * A request's JSON as a GraphQL request, read in Hasura's order and refused in its words. The query's text is not looked at. Keys that GraphQL does not know
 * (`extensions` and the like) are left alone, as by Hasura.
 * @param at its JSONPath in the body
 * @throws EngineError `parse-failed` where a field is missing or has the wrong type.
 */
export function parseGraphQLRequest(value: unknown, at = "$"): GraphQLRequest {
  if (!isObject(value)) throw unlike(at, requestName, "Object", value);
  const { query, variables, operationName } = value;
  if (operationName !== undefined && operationName !== null) {
    if (typeof operationName !== "string") throw unlike(`${at}.operationName`, "Name", "String", operationName);
    if (!graphqlName.test(operationName)) throw parseFailed(`${at}.operationName`, `${operationName.slice(0, longestNameShown)} is not valid GraphQL name`);
  }
  if (query === undefined && isObject(value["extensions"]) && value["extensions"]["persistedQuery"] !== undefined) throw persistedQueryRefused();
  if (query === undefined) throw parseFailed(at, `parsing ${requestName} failed, key "query" not found`);
  if (typeof query !== "string") throw unlike(`${at}.query`, "Text", "String", query);
  if (variables !== undefined && variables !== null && !isObject(variables)) throw unlike(`${at}.variables`, "HashMap", "Object", variables);
  if (isDeeperThan(deepest, variables))
    throw parseFailed(`${at}.variables`, `expected values that are nested no deeper than ${deepest} levels`);
  return { query, variables, operationName };
}

/** The answer to a hash in place of a query, upon which clients send the query itself. */
export function persistedQueryRefused(): EngineError {
  return new EngineError({ code: "not-supported", message: "PersistedQueryNotSupported" });
}

function isObject(value: unknown): value is Record<string, unknown> {
  return kindOf(value) === "an object";
}

/** Level by level: whoever follows them by calling himself runs out of stack. */
function isDeeperThan(limit: number, value: unknown): boolean {
  let level: readonly unknown[] = [value];
  for (let depth = 0; depth <= limit; depth++) {
    const below: unknown[] = [];
    for (const parent of level) if (typeof parent === "object" && parent !== null) for (const child of Object.values(parent)) below.push(child);
    if (below.length === 0) return false;
    level = below;
  }
  return true;
}

function parseFailed(path: string, message: string): EngineError {
  return new EngineError({ code: "parse-failed", path, message });
}

function unlike(path: string, reading: string, expected: string, value: unknown): EngineError {
  return parseFailed(path, mismatch(reading, expected, value).message);
}
