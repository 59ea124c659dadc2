import { lexicographicSortSchema, printSchema, type GraphQLSchema } from "graphql";
import type { AskForText } from "@routeql/metadata/catalog/catalog";
import type { EngineOptions } from "./interface.ts";
import { buildState, checkMetadata } from "./execution/state.ts";

export interface SchemaTextOptions extends Pick<EngineOptions, "metadata" | "allowUnsupported" | "inferFunctionPermissions" | "namingConvention"> {
  readonly role: string;
  /** Sends the one question to the database that every source of the metadata is in. */
  readonly ask: AskForText;
}

/** A role that metadata do not name. */
export class UnknownRole extends Error {
  /** Those that they do name, and admin. */
  readonly roles: readonly string[];

  constructor(role: string, roles: readonly string[]) {
    super(`the metadata have no role ${role}`);
    this.name = "UnknownRole";
    this.roles = roles;
  }
}

/** SDL in the order of names, so that two revisions compare line by line. */
export function printSorted(schema: GraphQLSchema): string {
  return printSchema(lexicographicSortSchema(schema));
}

/**
 * What one role sees of the metadata on a database, without an engine.
 * @throws MetadataError, UnknownRole; what `ask` throws
 */
export async function schemaText({ role, ask, ...options }: SchemaTextOptions): Promise<string> {
  const state = await buildState(checkMetadata(options.metadata, options.allowUnsupported ?? false), options, () => ask);
  if (role !== "admin" && !state.roles.includes(role)) throw new UnknownRole(role, ["admin", ...state.roles]);
  return printSorted(state.schema(role).schema);
}
