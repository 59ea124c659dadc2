import type { MergedPath } from "@routeql/metadata/read/load";
import { isFields } from "./conditions.ts";
import { catalogAt, type Found, functionsOf, isTrusted, permissionsOf, type Rule } from "./rule.ts";

export const inferredFunction: Rule = {
  id: "inferred-function",
  severity: "warning",
  needs: "database",
  finds: "a function that every role may call which may read the table it returns rows of",
  why: "Hasura infers the permission for functions that are not volatile; what the function reads and tells by which rows it picks is open to all of these roles.",
  remedy: "list the roles in the function's permissions and set HASURA_GRAPHQL_INFER_FUNCTION_PERMISSIONS=false (inferFunctionPermissions: false in hasura-checks.yaml), or except it with the reason",
  find: (examined) => {
    if (!examined.configuration.inferFunctionPermissions) return [];
    return functionsOf(examined).flatMap(({ entry, key, path }): Found[] => {
      const found = catalogAt(examined, path)?.functions.get(key)?.[0];
      if (found === undefined || found.volatility === "volatile" || entry.configuration?.exposed_as === "mutation") return [];
      return [{ at: [...path, "function"], name: key, reason: `the function ${key} may be called by every role that may read the rows it returns` }];
    });
  },
};

const secretName = /(^|_)(password|passwd|passphrase|pwd|secret|secrets|token|tokens|api_?key|access_key|private_key|encryption_key|totp|otp|mfa|salt|ssn|iban|cvv|card_number)(_|$)/;
/** Ends of names that say something about a secret, or a token that is traded, and are none: when it expires, of which kind it is, what it costs. */
const aboutSecret = /_(at|on|date|time|type|kind|count|length|status|version|expires|expiry|expiration|ttl|enabled|required|verified|algorithm|ids?|name|symbol|address|ur[il]|price|volume|amount|supply|balance|percent)$/;
const isSecret = (column: string) => secretName.test(snake(column)) && !aboutSecret.test(snake(column));
const snake = (name: string) => name.replaceAll(/([a-z0-9])([A-Z])/g, "$1_$2").toLowerCase();

export const secretColumn: Rule = {
  id: "secret-column",
  severity: "warning",
  finds: "a role that may read a column which is called like a secret",
  why: "Hashes, tokens and keys serve whoever has them; a client never needs to read them back.",
  remedy: "take the column from the permission, or except it with the reason why it is none",
  find: (examined) =>
    permissionsOf(examined).flatMap(({ key, role, permission, at, path, columns: all }): Found[] => {
      if (isTrusted(role, examined)) return [];
      const columns = permission.columns === "*" ? (all ?? [...(catalogAt(examined, path)?.tables.get(key)?.columns.keys() ?? [])]) : permission.columns;
      const where = (index: number) => [...at, "columns", ...(permission.columns === "*" ? [] : [index])];
      return columns.flatMap((column, index) => (isSecret(column) ? [{ at: where(index), table: key, role, name: column, reason: `${role} may read ${key}.${column}` }] : []));
    }),
};

const holdsPassword = (url: string) => /^[a-z]+:\/\/[^/@:]*:[^@/]+@/i.test(url) || /\bpassword\s*=/i.test(url);

const secretHeader = /^(proxy-)?authorization$|^cookie$|secret|token|password|api-?key|access-?key/i;

/**
 * Headers with which Hasura calls others, whose value stands there instead of the name of a variable that holds it.
 * @param owner the name of what calls: an action, a trigger, a remote schema
 */
function secretHeaders(value: unknown, at: MergedPath, owner: string): readonly Found[] {
  if (Array.isArray(value)) return value.flatMap((item, index) => secretHeaders(item, [...at, index], owner));
  if (!isFields(value)) return [];
  const { name, value: written } = value;
  // {{NAME}} is taken from the environment.
  const isHeader = at.at(-2) === "headers" && typeof name === "string" && secretHeader.test(name);
  if (isHeader && typeof written === "string" && written !== "" && !written.includes("{{")) return [{ at: [...at, "value"], name, reason: `the value of the header ${name} of ${owner} stands in the metadata` }];
  return Object.entries(value).flatMap(([key, item]) => secretHeaders(item, [...at, key], typeof name === "string" ? name : owner));
}

export const secretInMetadata: Rule = {
  id: "secret-in-metadata",
  severity: "error",
  finds: "a password of a database, or a header that proves who asks, in the metadata",
  why: "Metadata lie in the repository and are handed out by export_metadata.",
  remedy: "name an environment variable instead: database_url: {from_env: NAME}, value_from_env: NAME",
  find: ({ metadata, project }) => [
    ...metadata.sources.flatMap((source, index): Found[] => {
      const url = source.configuration.connection_info.database_url;
      const at = ["sources", index, "configuration", "connection_info", "database_url"];
      const literal = typeof url === "string" ? holdsPassword(url) : "connection_parameters" in url && typeof url.connection_parameters.password === "string";
      return literal ? [{ at, name: source.name, reason: `the source ${source.name} has its password in the metadata` }] : [];
    }),
    ...secretHeaders(project.loaded.merged, [], "the metadata"),
  ],
};
