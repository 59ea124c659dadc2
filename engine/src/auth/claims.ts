import type { JWTPayload } from "jose";
import {
  allowedRolesClaim,
  type ClaimsMap,
  defaultClaimsNamespace,
  defaultRoleClaim,
  type JwtSettings,
  type Located,
  valueAtPath,
} from "./jwt-settings.ts";
import { sessionVariablePrefix } from "./session.ts";
import { EngineError } from "../errors.ts";

export interface GrantedClaims {
  readonly allowedRoles: ReadonlySet<string>;
  readonly defaultRole: string;
  /** The remaining `x-hasura-*` claims, lower-case names. */
  readonly variables: ReadonlyMap<string, string>;
}

type RawClaims = Map<string, unknown>;

/** Roles and session variables of a verified token. @throws EngineError `jwt-invalid-claims` or `jwt-missing-role-claims` */
export function grantedClaims(payload: JWTPayload, settings: JwtSettings): GrantedClaims {
  const claims =
    settings.claims_map === undefined
      ? claimsFromNamespace(payload, settings)
      : claimsFromMap(payload, settings.claims_map);
  const allowedRoles = roleList(claims.get(allowedRolesClaim));
  const defaultRole = singleRole(
    claims.get(defaultRoleClaim),
    settings.claims_map === undefined ? "a single role name" : "a role",
  );
  claims.delete(allowedRolesClaim);
  claims.delete(defaultRoleClaim);
  const variables = new Map<string, string>();
  for (const [name, value] of claims) {
    if (typeof value !== "string") {
      throw invalidClaims(
        `x-hasura-* claims: parsing Text failed, expected String, but encountered ${encountered(value)}`,
      );
    }
    variables.set(name, value);
  }
  return { allowedRoles, defaultRole, variables };
}

function claimsFromNamespace(payload: JWTPayload, settings: JwtSettings): RawClaims {
  const path = settings.claims_namespace_path;
  const namespace = settings.claims_namespace ?? defaultClaimsNamespace;
  const found = valueAtPath(payload, path?.steps ?? [namespace]);
  if (found === undefined) {
    throw invalidClaims(
      path === undefined
        ? `claims key: '${namespace}' not found`
        : `claims not found at claims_namespace_path: '${path.text}'`,
    );
  }
  const object = settings.claims_format === "json" ? found : parseStringified(found);
  if (typeof object !== "object" || object === null || Array.isArray(object)) {
    const place = path === undefined ? `claims_namespace ${namespace}` : `claims_namespace_path ${path.text}`;
    const isJson = settings.claims_format === "json";
    throw invalidClaims(
      isJson ? "expecting a json object when claims_format is json" : `expecting stringified json at: '${place}'`,
    );
  }
  const claims: RawClaims = new Map();
  for (const [name, value] of Object.entries(object)) {
    const lower = name.toLowerCase();
    if (lower.startsWith(sessionVariablePrefix)) claims.set(lower, value);
  }
  return claims;
}

function parseStringified(value: unknown): unknown {
  if (typeof value !== "string") throw invalidClaims("expecting a string when claims_format is stringified_json");
  try {
    return JSON.parse(value) as unknown;
  } catch {
    return undefined;
  }
}

function claimsFromMap(payload: JWTPayload, map: ClaimsMap): RawClaims {
  const claims: RawClaims = new Map([
    [allowedRolesClaim, locate(payload, map.allowedRoles)],
    [defaultRoleClaim, locate(payload, map.defaultRole)],
  ]);
  // As in Hasura, a missing role is reported before another missing claim.
  for (const [name, value] of claims) if (value === undefined) throw missingRoleClaim(name);
  for (const [name, where] of map.other) {
    const value = locate(payload, where);
    if (value === undefined) throw invalidClaims(`JWT claim from claims_map, ${name} not found`);
    claims.set(name, value);
  }
  return claims;
}

function locate(payload: JWTPayload, where: Located<unknown>): unknown {
  if (typeof where !== "object" || where === null || !("path" in where)) return where;
  const { path, default: fallback } = where as Exclude<Located<string>, string>;
  return valueAtPath(payload, path.steps) ?? fallback;
}

function roleList(value: unknown): ReadonlySet<string> {
  if (value === undefined) throw missingRoleClaim(allowedRolesClaim);
  const prefix = `invalid ${allowedRolesClaim}; should be a list of roles`;
  if (!Array.isArray(value)) {
    throw invalidClaims(`${prefix}: parsing [] failed, expected Array, but encountered ${encountered(value)}`);
  }
  for (const role of value as unknown[]) {
    if (typeof role !== "string" || role === "") {
      throw invalidClaims(`${prefix}: parsing RoleName failed, expected String, but encountered ${encountered(role)}`);
    }
  }
  return new Set(value as string[]);
}

function singleRole(value: unknown, hint: string): string {
  if (value === undefined) throw missingRoleClaim(defaultRoleClaim);
  if (typeof value === "string" && value !== "") return value;
  const detail = `parsing RoleName failed, expected String, but encountered ${encountered(value)}`;
  throw invalidClaims(`invalid ${defaultRoleClaim}; should be ${hint}: ${detail}`);
}

function invalidClaims(message: string): EngineError {
  return new EngineError({ code: "jwt-invalid-claims", message });
}

function missingRoleClaim(claim: string): EngineError {
  return new EngineError({ code: "jwt-missing-role-claims", message: `JWT claim does not contain ${claim}` });
}

/** The JSON type of a value, as Hasura's messages name it. */
function encountered(value: unknown): string {
  if (value === null) return "Null";
  if (Array.isArray(value)) return "Array";
  const names: Record<string, string> = { string: "String", number: "Number", boolean: "Boolean", object: "Object" };
  return names[typeof value] ?? "Null";
}
