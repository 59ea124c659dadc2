import { readFileSync } from "node:fs";
import { parse } from "yaml";
import { z } from "zod";

type Json = Readonly<Record<string, unknown>>;

interface DescribedResponse {
  readonly headers?: Readonly<Record<string, { readonly required?: boolean; readonly schema: Json }>>;
  readonly content?: Readonly<Record<string, { readonly schema: Json }>>;
}

interface DescribedOperation {
  readonly responses: Readonly<Record<string, DescribedResponse>>;
}

const text = readFileSync(new URL("../../auth-sidecar/openapi.yaml", import.meta.url), "utf8");
const description = parse(text) as { readonly paths: Readonly<Record<string, Readonly<Record<string, unknown>>>> };

/** `GET /jwks` and so on: every operation that auth-sidecar/openapi.yaml describes. */
export const describedOperations: readonly string[] = Object.entries(description.paths).flatMap(([path, item]) =>
  Object.keys(item).map((method) => `${method.toUpperCase()} ${path}`),
);

export interface ObservedAnswer {
  readonly method: string;
  readonly path: string;
  readonly status: number;
  readonly headers: Headers;
  readonly body: unknown;
}

/** Throws when a reply differs from the description of its operation in auth-sidecar/openapi.yaml. */
export function assertDescribed({ method, path, status, headers, body }: ObservedAnswer): void {
  const item = description.paths[path];
  if (item === undefined) {
    if (status !== 404) throw new Error(`${method} ${path} is not described, yet answers ${status}`);
    return;
  }
  // A method that a path does not support has no operation; any operation of the path describes its answer.
  const described = item[method.toLowerCase()] ?? (status === 405 ? Object.values(item)[0] : undefined);
  const operation = resolved(described) as DescribedOperation | undefined;
  const response = resolved(operation?.responses[String(status)]) as DescribedResponse | undefined;
  if (response === undefined) throw new Error(`${method} ${path} answers ${status}, which is not described`);
  for (const [name, header] of Object.entries(response.headers ?? {})) {
    const value = headers.get(name);
    const { required, schema } = resolved(header) as { required?: boolean; schema: Json };
    if (value === null && required === true) throw new Error(`${method} ${path} ${status} has no header ${name}`);
    if (value !== null) asZod(schema).parse(value);
  }
  const schema = response.content?.["application/json"]?.schema;
  if (schema === undefined || method === "HEAD") return;
  if (headers.get("content-type") !== "application/json; charset=utf-8")
    throw new Error(`${method} ${path} ${status} is not JSON`);
  asZod(schema).parse(body);
}

function asZod(schema: Json): z.ZodType {
  return z.fromJSONSchema(inlined(schema) as Parameters<typeof z.fromJSONSchema>[0]);
}

function inlined(value: unknown): unknown {
  const target = resolved(value);
  if (Array.isArray(target)) return target.map(inlined);
  if (typeof target !== "object" || target === null) return target;
  return Object.fromEntries(Object.entries(target).map(([key, member]) => [key, inlined(member)]));
}

function resolved(value: unknown): unknown {
  const reference = typeof value === "object" && value !== null && "$ref" in value ? value.$ref : undefined;
  if (typeof reference !== "string") return value;
  return reference
    .slice(2)
    .split("/")
    .reduce<unknown>((node, key) => (node as Json)[key], description);
}
