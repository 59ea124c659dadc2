import {
  buildClientSchema,
  getIntrospectionQuery,
  type GraphQLSchema,
  type IntrospectionQuery,
  isObjectType,
} from "graphql";
import type { MergedPath } from "@routeql/metadata/read/load";
import { Naming } from "@routeql/metadata/names/naming";
import { rootFieldNames } from "@routeql/metadata/names/root-fields";
import type { Endpoint } from "../cli/endpoint.ts";
import { UsageError } from "../cli/usage-error.ts";
import type { ReadProject } from "../metadata/project.ts";
import { tablesOf } from "../rules/rule.ts";
import { post } from "./endpoint.ts";

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
