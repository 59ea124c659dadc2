import { isDeepStrictEqual } from "node:util";
import { Naming, rootFieldNames } from "@routeql/metadata/naming";
import type { MergedPath } from "@routeql/metadata/read/load";
import {
  buildClientSchema,
  getIntrospectionQuery,
  type GraphQLSchema,
  type IntrospectionQuery,
  isObjectType,
} from "graphql";
import { type Endpoint, post } from "../cli/endpoint.ts";
import { UsageError } from "../cli/usage-error.ts";
import { redacted, secretKey } from "../findings/secret-texts.ts";
import type { ReadProject } from "../metadata/project.ts";
import { tablesOf } from "../metadata/walk.ts";
import { identities, normalForm } from "./normal-form.ts";
import { isFields } from "../metadata/conditions.ts";

export interface Difference {
  /** Nearest place in the first metadata. */
  readonly at: MergedPath;
  readonly reason: string;
  /** Whether it concerns access, which `accessChanges` compares. */
  readonly concernsAccess: boolean;
}

/** The names of both in sentences, such as `in the repository`. */
export interface Sides {
  readonly first: string;
  readonly second: string;
}

/** An item of a list by its name, such as `table public.note` or `select permission of reader`. */
function itemWords(list: string): ((name: string) => string) | undefined {
  if (!(list in identities)) return undefined;
  if (list === "allowlist") return (name) => `allowed collection ${name}`;
  const kind = list === "queries" ? "query" : list.replaceAll("_", " ").replace(/s$/, "");
  return (name) => `${kind}${kind.endsWith("permission") ? " of" : ""} ${name}`;
}

/** A path of the normal form in words. */
function words(path: readonly string[], manySources: boolean): string {
  const said: string[] = [];
  for (let index = 0; index < path.length; index += 1) {
    const step = path[index] ?? "";
    const next = path[index + 1];
    const item = itemWords(step);
    if (item !== undefined && next !== undefined) {
      if (step !== "sources" || manySources || path.length === 2) said.push(item(next));
      index += 1;
    } else if (step !== "permission") said.push(step);
  }
  return said.join(", ");
}

const shown = (value: unknown, key: string): string => {
  const text = JSON.stringify(redacted(value, secretKey(key)));
  return text.length <= 120 ? text : `${text.slice(0, 117)}...`;
};

/** Differences in words. Equivalent metadata has none. */
export function drift(first: unknown, second: unknown, { first: here, second: there }: Sides): readonly Difference[] {
  const [one, other] = [normalForm(first), normalForm(second)];
  const sources = isFields(one.value) && isFields(one.value["sources"]) ? Object.keys(one.value["sources"]).length : 0;
  const found: Difference[] = [];
  const print = (value: unknown, path: readonly string[]) => shown(value, path.at(-1) ?? "");
  const say = (at: MergedPath, path: readonly string[], what: string) =>
    found.push({
      at,
      reason: `${words(path, sources > 1)} ${what}`,
      concernsAccess: path.some((step) => accessKeys.test(step)),
    });
  const walk = (left: unknown, right: unknown, path: readonly string[], at: MergedPath): void => {
    const place = one.pathOf(left) ?? at;
    if (isDeepStrictEqual(left, right)) return;
    // A missing list of named items counts as empty, and each item is reported by its name.
    const items = itemWords(path.at(-1) ?? "") !== undefined && path.at(-2) !== path.at(-1);
    if (items && (left === undefined || right === undefined)) {
      walk(left ?? {}, right ?? {}, path, at);
      return;
    }
    if (left === undefined) say(place, path, `is only ${there}${isFields(right) ? "" : ` (${print(right, path)})`}`);
    else if (right === undefined) say(place, path, `is only ${here}${isFields(left) ? "" : ` (${print(left, path)})`}`);
    else if (isFields(left) && isFields(right) && !isCondition(path))
      for (const key of new Set([...Object.keys(left), ...Object.keys(right)]))
        walk(left[key], right[key], [...path, key], place);
    else if (isNames(left) && isNames(right)) names(left, right, path, place);
    else {
      const [one, other] = [print(left, path), print(right, path)];
      say(
        place,
        path,
        one === other ? `differs in a part that is not shown: ${one}` : `is ${one} ${here}, and ${other} ${there}`,
      );
    }
  };
  const names = (left: readonly string[], right: readonly string[], path: readonly string[], at: MergedPath) => {
    for (const name of left.filter((item) => !right.includes(item))) say(at, path, `has ${name} only ${here}`);
    for (const name of right.filter((item) => !left.includes(item))) say(at, path, `has ${name} only ${there}`);
  };
  walk(one.value, other.value, [], []);
  return found;
}

const accessKeys =
  /^((select|insert|update|delete)_permissions|permissions|inherited_roles|graphql_schema_introspection|allowlist|rest_endpoints|network|api_limits)$/;

const isNames = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.every((item) => typeof item === "string") && new Set(value).size === value.length;

/** Conditions are compared as a whole. */
const isCondition = (path: readonly string[]) => path.at(-1) === "filter" || path.at(-1) === "check";

/** The schema for the admin secret. @param absence the answer of the metadata API @throws UsageError */
export async function adminSchema(endpoint: Endpoint, absence: UsageError): Promise<GraphQLSchema> {
  const url = new URL(endpoint.url);
  if (url.pathname === "/v1/metadata") url.pathname = "/v1/graphql";
  let reply: { readonly data?: IntrospectionQuery; readonly errors?: readonly { readonly message: string }[] };
  try {
    reply = await post({ ...endpoint, url }, { query: getIntrospectionQuery({ descriptions: false }) });
  } catch (error) {
    const also =
      url.href === endpoint.url.href ? "" : ` Its GraphQL API cannot be used instead: ${(error as Error).message}.`;
    throw new UsageError(
      `${absence.message}. The engine has no metadata API at this address.${also} Enable it (HASURA_GRAPHQL_ENABLED_APIS), or give the address of the GraphQL API: --endpoint ${url.origin}/PATH`,
    );
  }
  if (reply.data === undefined)
    throw new UsageError(`${url.href} refuses introspection: ${reply.errors?.[0]?.message ?? "no reason given"}`);
  return buildClientSchema(reply.data, { assumeValid: true });
}

interface SchemaDifference {
  readonly at: MergedPath;
  readonly reason: string;
}

/** Tables, columns and relationships of the metadata that the schema lacks. */
export function schemaDrift(project: ReadProject, schema: GraphQLSchema): readonly SchemaDifference[] {
  const { metadata } = project;
  return tablesOf({ metadata, project }).flatMap(({ table, key, path }): readonly SchemaDifference[] => {
    const naming = new Naming(metadata.sources[Number(path[1])]?.customization, "hasura-default");
    const names = naming.base(table.configuration?.custom_name, table.table);
    const type = schema.getType(naming.type(names));
    const { select } = rootFieldNames(table, names, naming);
    if (!isObjectType(type))
      return [
        {
          at: [...path, "table"],
          reason: `table ${key} is only in the repository: the engine has no root field ${select}`,
        },
      ];
    const fields = type.getFields();
    const fieldOf = (column: string) =>
      table.configuration?.column_config?.[column]?.custom_name ??
      table.configuration?.custom_column_names?.[column] ??
      naming.field(column);
    const granted = new Set(
      table.select_permissions.flatMap(({ permission: { columns } }) => (columns === "*" ? [] : columns)),
    );
    const columns = [...granted]
      .filter((column) => !(fieldOf(column) in fields))
      .map((column) => ({
        at: [...path, "select_permissions"],
        reason: `table ${key}, column ${column} is only in the repository`,
      }));
    const relationships = (["object_relationships", "array_relationships"] as const).flatMap((kind) =>
      table[kind].flatMap(({ name }, index) =>
        name in fields
          ? []
          : [
              {
                at: [...path, kind, index],
                reason: `table ${key}, ${kind.replaceAll("_", " ").replace(/s$/, "")} ${name} is only in the repository`,
              },
            ],
      ),
    );
    return [...columns, ...relationships];
  });
}
