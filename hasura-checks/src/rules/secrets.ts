import type { MergedPath } from "@routeql/metadata/read/load";
import { secretsOf } from "../findings/secret-texts.ts";
import { isFields } from "../metadata/conditions.ts";
import { catalogAt, permissionsOf } from "../metadata/walk.ts";
import { type Found, isTrusted, type Rule } from "./rule.ts";

const secretName =
  /(^|_)(password|passwd|passphrase|pwd|secret|secrets|token|tokens|api_?key|access_key|private_key|encryption_key|totp|otp|mfa|salt|ssn|iban|cvv|card_number)(_|$)/;
/** Suffixes of names that describe a secret and are not secret: expiry, kind, price. */
const aboutSecret =
  /_(at|on|date|time|type|kind|count|length|status|version|expires|expiry|expiration|ttl|enabled|required|verified|algorithm|ids?|name|symbol|address|ur[il]|price|volume|amount|supply|balance|percent|alias|decimals|owner|holder|standard|logo|image|icon|label|title|description|scopes?|issuer|provider)$/;
/** Numbers of tokens of a language model, and flags. */
const countsOrFlag =
  /(^|_)(max|min|total|used|remaining|prompt|completion|input|output|cached|num|number_of|cost|price)_(\w+_)?tokens?(_|$)|tokens?_(used|left|limit|budget|per|remaining|total|usage|in|out)(_|$)|^(is|has|had|needs|requires|require|allow|allows|show|hide|use|uses|enable|must|can|should)_/;
const isSecret = (column: string) => {
  const name = snake(column);
  return secretName.test(name) && !aboutSecret.test(name) && !countsOrFlag.test(name);
};
/** Types whose values are no secret, apart from codes of digits. */
const plainTypes = new Set([
  "bool",
  "int2",
  "int4",
  "int8",
  "numeric",
  "float4",
  "float8",
  "date",
  "timestamp",
  "timestamptz",
  "interval",
]);
const digitCode = /(^|_)(otp|ssn|cvv|card_number|totp|pwd|password)(_|$)/;
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
      const known = catalogAt(examined, path)?.tables.get(key)?.columns;
      const columns = permission.columns === "*" ? (all ?? [...(known?.keys() ?? [])]) : permission.columns;
      const isPlain = (column: string) =>
        plainTypes.has(known?.get(column)?.type.name ?? "") && !digitCode.test(snake(column));
      const where = (index: number) => [...at, "columns", ...(permission.columns === "*" ? [] : [index])];
      return columns.flatMap((column, index) =>
        isSecret(column) && !isPlain(column)
          ? [{ at: where(index), table: key, role, name: column, reason: `${role} may read ${key}.${column}` }]
          : [],
      );
    }),
};

/** A text without `{{NAME}}`, which Hasura replaces. The quoted texts in a template stay: they are values in place of a missing variable. */
const withoutTemplates = (text: string): string =>
  text.replaceAll(/\{\{(.*?)\}\}/gs, (_whole, inside: string) =>
    (inside.match(/["'][^"']+["']/g) ?? []).map((each) => each.slice(1, -1)).join(" "),
  );

/** Texts of clients and of the database, and texts that explain. */
const elsewhere = new Set(["query", "code", "comment", "description"]);

/** @param owner name of the action, trigger, source or remote schema */
function secretsIn(value: unknown, at: MergedPath, owner: string, header?: string): readonly Found[] {
  if (typeof value === "string") {
    const what = secretsOf(withoutTemplates(value).trim(), header)[0]?.what;
    return what === undefined ? [] : [{ at, name: header ?? owner, reason: `${owner} has ${what} in the metadata` }];
  }
  if (Array.isArray(value)) return value.flatMap((item, index) => secretsIn(item, [...at, index], owner));
  if (!isFields(value)) return [];
  const { name } = value;
  const isHeader = at.at(-2) === "headers";
  const own = typeof name === "string" && !isHeader ? name : owner;
  return Object.entries(value).flatMap(([key, item]) =>
    elsewhere.has(key)
      ? []
      : secretsIn(item, [...at, key], own, isHeader && key === "value" ? String(name) : undefined),
  );
}

export const secretInMetadata: Rule = {
  id: "secret-in-metadata",
  severity: "error",
  finds: "a password, a key or a token in the metadata: by a known format, in an address, or as the value of a header",
  why: "The metadata is in the repository, and export_metadata returns it.",
  remedy:
    "use an environment variable: database_url: {from_env: NAME}, value_from_env: NAME, or {{NAME}} in an address; then replace the secret",
  find: ({ metadata, project }) => [
    ...metadata.sources.flatMap((source, index): Found[] => {
      const url = source.configuration.connection_info.database_url;
      const isLiteral =
        typeof url !== "string" &&
        "connection_parameters" in url &&
        typeof url.connection_parameters.password === "string";
      const at = ["sources", index, "configuration", "connection_info", "database_url"];
      return isLiteral ? [{ at, name: source.name, reason: `${source.name} has its password in the metadata` }] : [];
    }),
    ...secretsIn(project.loaded.merged, [], "the metadata"),
  ],
};
