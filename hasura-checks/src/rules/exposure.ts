import type { MergedPath } from "@routeql/metadata/read/load";
import { isFields } from "./conditions.ts";
import { catalogAt, type Found, functionsOf, isTrusted, permissionsOf, type Rule } from "./rule.ts";

export const inferredFunction: Rule = {
  id: "inferred-function",
  severity: "warning",
  needs: "database",
  finds: "a function that every role with access to its returned table may call",
  why: "Hasura infers the permission for functions that are not volatile. All these roles can see which rows the function selects, and can infer the data that it reads.",
  remedy:
    "list the roles in the function's permissions and set HASURA_GRAPHQL_INFER_FUNCTION_PERMISSIONS=false (inferFunctionPermissions: false in hasura-checks.yaml), or add an exception with the reason",
  find: (examined) => {
    if (!examined.configuration.inferFunctionPermissions) return [];
    return functionsOf(examined).flatMap(({ entry, key, path }): Found[] => {
      const found = catalogAt(examined, path)?.functions.get(key)?.[0];
      if (found === undefined || found.volatility === "volatile" || entry.configuration?.exposed_as === "mutation")
        return [];
      const reason = `the function ${key} may be called by every role that may read the rows it returns`;
      return [{ at: [...path, "function"], name: key, reason }];
    });
  },
};

const secretName =
  /(^|_)(password|passwd|passphrase|pwd|secret|secrets|token|tokens|api_?key|access_key|private_key|encryption_key|totp|otp|mfa|salt|ssn|iban|cvv|card_number)(_|$)/;
/** Suffixes of names that describe a secret and are not secret: expiry, kind, price. */
const aboutSecret =
  /_(at|on|date|time|type|kind|count|length|status|version|expires|expiry|expiration|ttl|enabled|required|verified|algorithm|ids?|name|symbol|address|ur[il]|price|volume|amount|supply|balance|percent)$/;
const isSecret = (column: string) => secretName.test(snake(column)) && !aboutSecret.test(snake(column));
const snake = (name: string) => name.replaceAll(/([a-z0-9])([A-Z])/g, "$1_$2").toLowerCase();

export const secretColumn: Rule = {
  id: "secret-column",
  severity: "warning",
  finds: "a role that may read a column with a name such as `password` or `api_key`",
  why: "A client that reads a hash, a token or a key can use it. Clients rarely need to read these values.",
  remedy: "remove the column from the permission, or add an exception with the reason",
  find: (examined) =>
    permissionsOf(examined).flatMap(({ key, role, permission, at, path, columns: all }): Found[] => {
      if (isTrusted(role, examined)) return [];
      const columns =
        permission.columns === "*"
          ? (all ?? [...(catalogAt(examined, path)?.tables.get(key)?.columns.keys() ?? [])])
          : permission.columns;
      const where = (index: number) => [...at, "columns", ...(permission.columns === "*" ? [] : [index])];
      return columns.flatMap((column, index) =>
        isSecret(column)
          ? [{ at: where(index), table: key, role, name: column, reason: `${role} may read ${key}.${column}` }]
          : [],
      );
    }),
};

const holdsPassword = (url: string) => /^[a-z]+:\/\/[^/@:]*:[^@/]+@/i.test(url) || /\bpassword\s*=/i.test(url);

const secretHeader = /^(proxy-)?authorization$|^cookie$|secret|token|password|api-?key|access-?key/i;

/**
 * Headers of requests by Hasura with a literal value instead of an environment variable.
 * @param owner name of the action, trigger or remote schema
 */
function secretHeaders(value: unknown, at: MergedPath, owner: string): readonly Found[] {
  if (Array.isArray(value)) return value.flatMap((item, index) => secretHeaders(item, [...at, index], owner));
  if (!isFields(value)) return [];
  const { name, value: written } = value;
  // Hasura replaces {{NAME}} by an environment variable.
  const isHeader = at.at(-2) === "headers" && typeof name === "string" && secretHeader.test(name);
  if (isHeader && typeof written === "string" && written !== "" && !written.includes("{{"))
    return [{ at: [...at, "value"], name, reason: `the value of the header ${name} of ${owner} is in the metadata` }];
  return Object.entries(value).flatMap(([key, item]) =>
    secretHeaders(item, [...at, key], typeof name === "string" ? name : owner),
  );
}

export const secretInMetadata: Rule = {
  id: "secret-in-metadata",
  severity: "error",
  finds: "a database password or an authentication header in the metadata",
  why: "The metadata is in the repository, and export_metadata returns it.",
  remedy: "use an environment variable: database_url: {from_env: NAME}, value_from_env: NAME",
  find: ({ metadata, project }) => [
    ...metadata.sources.flatMap((source, index): Found[] => {
      const url = source.configuration.connection_info.database_url;
      const at = ["sources", index, "configuration", "connection_info", "database_url"];
      const literal =
        typeof url === "string"
          ? holdsPassword(url)
          : "connection_parameters" in url && typeof url.connection_parameters.password === "string";
      return literal
        ? [{ at, name: source.name, reason: `the source ${source.name} has its password in the metadata` }]
        : [];
    }),
    ...secretHeaders(project.loaded.merged, [], "the metadata"),
  ],
};
