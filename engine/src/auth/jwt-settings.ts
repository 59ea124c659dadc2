import { z } from "zod";

export const defaultClaimsNamespace = "https://hasura.io/jwt/claims";
export const allowedRolesClaim = "x-hasura-allowed-roles";
export const defaultRoleClaim = "x-hasura-default-role";

/** Key types of HASURA_GRAPHQL_JWT_SECRET; each allows exactly one JWS algorithm (RFC 8725 section 3.1). */
export const keyTypes = [
  "HS256",
  "HS384",
  "HS512",
  "RS256",
  "RS384",
  "RS512",
  "ES256",
  "ES384",
  "ES512",
  "Ed25519",
] as const;
export type KeyType = (typeof keyTypes)[number];

const jsonPath = z.string().transform((text, context) => {
  try {
    return { text, steps: parseJsonPath(text) };
  } catch (error) {
    context.addIssue({ code: "custom", message: error instanceof Error ? error.message : "not a JSON path" });
    return z.NEVER;
  }
});

const roleName = z.string().min(1);
/** @param form of a value that is no path */
const located = <Value extends z.ZodType>(value: Value, form: string) =>
  z.union([z.strictObject({ path: jsonPath, default: value.optional() }), value], {
    error: (issue) => {
      if (issue.input === undefined) return "must be given, with its name in lower case";
      const inner =
        issue.code === "invalid_union" ? issue.errors.flat().find(({ path }) => path.length > 0) : undefined;
      if (inner === undefined) return `must be ${form} or {path, default}`;
      return `${inner.path.map(String).join(".")}: ${inner.message}`;
    },
  });

const variable = located(z.string(), "a string");

const claimsMap = z
  .looseObject({
    [allowedRolesClaim]: located(z.array(roleName), "a list of roles"),
    [defaultRoleClaim]: located(roleName, "a role"),
  })
  .transform((map, context) => {
    const other = new Map<string, z.output<typeof variable>>();
    for (const [name, value] of Object.entries(map)) {
      if (name === allowedRolesClaim || name === defaultRoleClaim) continue;
      const parsed = variable.safeParse(value);
      if (parsed.success) other.set(name.toLowerCase(), parsed.data);
      else context.addIssue({ code: "custom", path: [name], message: parsed.error.issues[0]!.message });
    }
    return { allowedRoles: map[allowedRolesClaim], defaultRole: map[defaultRoleClaim], other };
  });
const headerForms =
  'must be as {"type":"Authorization"}, {"type":"Cookie","name":…} or {"type":"CustomHeader","name":…}';
/** As Hasura, without case. */
const kindOf = <const Kind extends string>(kind: Kind) =>
  z
    .string()
    .refine((text) => text.toLowerCase() === kind.toLowerCase(), headerForms)
    .transform(() => kind);

/** With `Authorization` Hasura ignores other keys. */
const tokenHeader = z.union(
  [
    z.object({ type: kindOf("Authorization") }),
    z.strictObject({ type: kindOf("Cookie"), name: z.string().min(1) }),
    z.strictObject({ type: kindOf("CustomHeader"), name: z.string().min(1).toLowerCase() }),
  ],
  headerForms,
);

/** The JSON of HASURA_GRAPHQL_JWT_SECRET. Unknown keys are rejected: a misspelt `audience` would disable the check. */
export const jwtSettingsSchema = z
  .strictObject({
    type: z.enum(keyTypes).optional(),
    key: z.string().min(1).optional(),
    jwk_url: z.url({ protocol: /^https?$/ }).optional(),
    claims_namespace: z.string().min(1).optional(),
    claims_namespace_path: jsonPath.optional(),
    claims_format: z.enum(["json", "stringified_json"]).default("json"),
    claims_map: claimsMap.optional(),
    audience: z
      .union([z.string().min(1), z.array(z.string().min(1)).min(1)], "must be a text, or a list of texts")
      .optional(),
    issuer: z.string().min(1).optional(),
    /** Tolerance for exp, nbf and iat, in seconds. */
    allowed_skew: z.number().int().min(0).max(3600).default(0),
    header: tokenHeader.default({ type: "Authorization" }),
  })
  .refine((settings) => settings.key === undefined || settings.type !== undefined, {
    path: ["type"],
    message: "is required with key",
  })
  .refine((settings) => (settings.key === undefined) !== (settings.jwk_url === undefined), {
    message: "exactly one of key and jwk_url must be given",
  })
  .refine((settings) => settings.claims_namespace === undefined || settings.claims_namespace_path === undefined, {
    message: "claims_namespace and claims_namespace_path cannot both be given",
  });

export type JwtSettings = z.output<typeof jwtSettingsSchema>;
export type ClaimsMap = z.output<typeof claimsMap>;
export type Located<Value> = Value | { readonly path: z.output<typeof jsonPath>; readonly default?: Value | undefined };

/** Object keys and array indexes from the root. */
export type JsonPath = readonly (string | number)[];

const step = /\.([A-Za-z0-9_-]+)|\[(\d+)\]|\['([^']*)'\]|\["([^"]*)"\]/y;

/** Parses Hasura's JSONPath, `$.a.b` or `$['https://a.example/claims'].roles[0]`. @throws Error that quotes the invalid text. */
export function parseJsonPath(text: string): JsonPath {
  const rest = text.startsWith("$") ? text.slice(1) : `.${text}`;
  const path: (string | number)[] = [];
  step.lastIndex = 0;
  while (step.lastIndex < rest.length) {
    const start = step.lastIndex;
    const match = step.exec(rest);
    if (match === null)
      throw new Error(
        `not a JSON path at "${rest.slice(start)}": write names of other characters than letters, digits, _ and - as $['a:b'], items as [0]; there are no wildcards`,
      );
    const [, key, index, single, double] = match;
    path.push(index === undefined ? (key ?? single ?? double ?? "") : Number(index));
  }
  return path;
}

/** The value at the path; undefined when the path does not exist. Inherited properties do not count. */
export function valueAtPath(root: unknown, path: JsonPath): unknown {
  let value = root;
  for (const key of path) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, key)) return undefined;
    value = (value as Record<string | number, unknown>)[key];
  }
  return value;
}
