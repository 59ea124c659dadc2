import { expect } from "vitest";
import { call, type Reply } from "./http.ts";
import { stack } from "../stack/stack.ts";

/** The client: with a token, with the master key, or with these headers. */
export type Caller =
  | { readonly token: string }
  | { readonly masterKey: string }
  | { readonly headers: Readonly<Record<string, string>> };

export const master: Caller = { masterKey: stack.engineAccessKey };

export interface GraphQLError {
  readonly message: string;
  readonly extensions: { readonly code: string; readonly path: string };
}

export function headersOf(caller: Caller): Record<string, string> {
  if ("token" in caller) return { authorization: `Bearer ${caller.token}` };
  if ("masterKey" in caller) return { "x-engine-access-key": caller.masterKey };
  return { ...caller.headers };
}

/** Sends POST /api/graphql unchanged. */
export async function post(query: string, caller: Caller, variables?: Record<string, unknown>): Promise<Reply> {
  return call("/api/graphql", {
    method: "POST",
    headers: headersOf(caller),
    body: variables === undefined ? { query } : { query, variables },
  });
}

/** Returns the `data` of a query that must succeed. */
export async function data<T>(query: string, caller: Caller, variables?: Record<string, unknown>): Promise<T> {
  const reply = await post(query, caller, variables);
  expect(reply.status, reply.text).toBe(200);
  const body = reply.json() as { data?: T; errors?: unknown };
  expect(body, reply.text).not.toHaveProperty("errors");
  expect(body, reply.text).toHaveProperty("data");
  return body.data as T;
}

/** Returns the first error of a query that must be rejected without data. */
export async function refusal(
  query: string,
  caller: Caller,
  variables?: Record<string, unknown>,
): Promise<GraphQLError> {
  const reply = await post(query, caller, variables);
  const body = reply.json() as { data?: unknown; errors?: GraphQLError[] };
  expect(body, reply.text).toHaveProperty("errors");
  expect(body.data ?? null, reply.text).toBeNull();
  return (body.errors as GraphQLError[])[0] as GraphQLError;
}
