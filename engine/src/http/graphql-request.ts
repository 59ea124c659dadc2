import type { GraphQLRequest } from "../engine.ts";
import { EngineError } from "../errors.ts";
import { graphqlName } from "@routeql/metadata/naming";
import { kindOf, mismatch } from "../schema/json-values.ts";

/** Deepest nesting of lists and objects in variables. The stack has room for every recursive visitor up to this depth. */
const deepest = 500;

const longestNameShown = 256;

/** Hasura's name of a request in its messages. */
const requestName = "Hasura.GraphQL.Transport.HTTP.Protocol.GQLReq(GQLReq)";

/** Parses JSON as a GraphQL request, in Hasura's order; unknown keys are ignored. @param at its JSONPath @throws EngineError */
export function parseGraphQLRequest(value: unknown, at = "$"): GraphQLRequest {
  if (!isObject(value)) throw unlike(at, requestName, "Object", value);
  const { query, variables, operationName } = value;
  if (operationName !== undefined && operationName !== null) {
    if (typeof operationName !== "string") throw unlike(`${at}.operationName`, "Name", "String", operationName);
    if (!graphqlName.test(operationName))
      throw parseFailed(`${at}.operationName`, `${operationName.slice(0, longestNameShown)} is not valid GraphQL name`);
  }
  if (query === undefined && isObject(value["extensions"]) && value["extensions"]["persistedQuery"] !== undefined)
    throw persistedQueryRefused();
  if (query === undefined) throw parseFailed(at, `parsing ${requestName} failed, key "query" not found`);
  if (typeof query !== "string") throw unlike(`${at}.query`, "Text", "String", query);
  if (variables !== undefined && variables !== null && !isObject(variables))
    throw unlike(`${at}.variables`, "HashMap", "Object", variables);
  if (isDeeperThan(deepest, variables))
    throw parseFailed(`${at}.variables`, `expected values that are nested no deeper than ${deepest} levels`);
  return { query, variables, operationName };
}

/** The reply to a hash in place of a query; clients then send the query itself. */
export function persistedQueryRefused(): EngineError {
  return new EngineError({ code: "not-supported", message: "PersistedQueryNotSupported" });
}

function isObject(value: unknown): value is Record<string, unknown> {
  return kindOf(value) === "an object";
}

/** Level by level, because recursion would exhaust the stack. */
function isDeeperThan(limit: number, value: unknown): boolean {
  let level: readonly object[] = isParent(value) ? [value] : [];
  for (let depth = 0; depth < limit && level.length > 0; depth++) {
    const below: object[] = [];
    for (const parent of level) for (const child of Object.values(parent)) if (isParent(child)) below.push(child);
    level = below;
  }
  return level.some((parent) => Object.keys(parent).length > 0);
}

function isParent(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}

function parseFailed(path: string, message: string): EngineError {
  return new EngineError({ code: "parse-failed", path, message });
}

function unlike(path: string, reading: string, expected: string, value: unknown): EngineError {
  return parseFailed(path, mismatch(reading, expected, value).message);
}
