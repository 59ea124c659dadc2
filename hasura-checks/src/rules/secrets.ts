import type { MergedPath } from "@routeql/metadata/read/load";
import { isFields } from "./conditions.ts";
import { catalogAt, type Found, isTrusted, permissionsOf, type Rule } from "./rule.ts";

const secretName =
  /(^|_)(password|passwd|passphrase|pwd|secret|secrets|token|tokens|api_?key|access_key|private_key|encryption_key|totp|otp|mfa|salt|ssn|iban|cvv|card_number)(_|$)/;
/** Suffixes of names that describe a secret and are not secret: expiry, kind, price. */
const aboutSecret =
  /_(at|on|date|time|type|kind|count|length|status|version|expires|expiry|expiration|ttl|enabled|required|verified|algorithm|ids?|name|symbol|address|ur[il]|price|volume|amount|supply|balance|percent)$/;
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

/** Formats of secrets, as their issuers and gitleaks publish them. */
const formats: readonly (readonly [what: string, pattern: RegExp])[] = [
  ["a private key", /-----BEGIN[ A-Z]*PRIVATE KEY-----/],
  ["an access key of AWS", /\b(?:AKIA|ASIA|ABIA|ACCA)[A-Z2-7]{16}\b/],
  ["a token of GitHub", /\bgh[oprsu]_[0-9A-Za-z]{36}\b|\bgithub_pat_\w{82}\b/],
  ["a token of GitLab", /\bglpat-[\w-]{20}\b/],
  ["a token of Slack", /\bxox[abeoprs]-[0-9A-Za-z-]{10,}|hooks\.slack\.com\/(?:services|workflows)\/[\w/+]{40,}/],
  ["a key of Stripe", /\b[rs]k_(?:live|prod|test)_[0-9A-Za-z]{10,99}\b/],
  ["a key of Google", /\bAIza[\w-]{35}\b/],
  ["a key of SendGrid", /\bSG\.[\w-]{16,32}\.[\w-]{16,64}\b/],
  ["a key of Twilio", /\bSK[0-9a-fA-F]{32}\b/],
  ["a token of npm", /\bnpm_[0-9A-Za-z]{36}\b/],
  ["a JSON web token", /\beyJ[\w-]{8,}\.eyJ[\w-]{8,}\.[\w-]{8,}/],
];

/** Bits of information in each character. */
function entropy(text: string): number {
  const counts = Map.groupBy(text, (character) => character).values();
  return [...counts].reduce((sum, { length }) => sum - (length / text.length) * Math.log2(length / text.length), 0);
}

/** Whether a text looks random: long, with letters and digits, and with the entropy that gitleaks requires of a generic key. */
const isRandom = (text: string): boolean =>
  /^[\w.+/=~-]{20,}$/.test(text) && /\d/.test(text) && /[a-z]/i.test(text) && entropy(text) > 3.5;

const secretParameter =
  /^(api_?key|key|code|sig|signature|secret|client_secret|password|pass|pwd|(access_?|auth_?)?token)$/i;

/** A password or a key in an address. */
function secretInAddress(text: string): string | undefined {
  if (/^[a-z][\w+.-]*:\/\/[^/@:\s]*:[^@/\s]+@/i.test(text) || /\bpassword\s*=\s*\S/i.test(text))
    return "a password in the address";
  const query = /^[a-z]+:\/\/[^\s?]*\?(.*)$/is.exec(text)?.[1] ?? "";
  const found = [...new URLSearchParams(query)].find(
    ([name, value]) => secretParameter.test(name) && value.length >= 8,
  );
  return found === undefined ? undefined : `a literal ${found[0]} in the address`;
}

const secretHeader = /^(proxy-)?authorization$|^cookie$|secret|token|password|api-?key|access-?key/i;
/** Values that only describe: a word, a number, a media type, the name of an environment variable. */
const describesOnly =
  /^([Tt]rue|[Ff]alse|null|[Bb]earer|[Bb]asic|[Nn]one|[Jj][Ww][Tt]|\d{1,5}|[a-z]+\/[\w.+-]+|[A-Z]+(_[A-Z0-9]+)+)$/;

/** A text without `{{NAME}}`, which Hasura replaces. The quoted texts in a template stay: they are values in place of a missing variable. */
const withoutTemplates = (text: string): string =>
  text.replaceAll(/\{\{(.*?)\}\}/gs, (_whole, inside: string) =>
    (inside.match(/["'][^"']+["']/g) ?? []).map((each) => each.slice(1, -1)).join(" "),
  );

/** The kind of secret in a text; undefined without one. @param header name of the header that has the value */
function secretIn(text: string, header: string | undefined): string | undefined {
  const written = withoutTemplates(text).trim();
  if (written === "") return undefined;
  const known = formats.find(([, pattern]) => pattern.test(written))?.[0] ?? secretInAddress(written);
  if (known !== undefined || header === undefined) return known;
  const words = written.split(/\s+/);
  if (secretHeader.test(header) && !words.every((word) => describesOnly.test(word)))
    return `the value of the header ${header}`;
  return words.some(isRandom) ? `a random text in the header ${header}` : undefined;
}

/** Texts of clients and of the database, and texts that explain. */
const elsewhere = new Set(["query", "code", "comment", "description"]);

/** @param owner name of the action, trigger, source or remote schema */
function secretsIn(value: unknown, at: MergedPath, owner: string, header?: string): readonly Found[] {
  if (typeof value === "string") {
    const what = secretIn(value, header);
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
