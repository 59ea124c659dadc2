import { lexicographicSortSchema, printSchema, type GraphQLSchema } from "graphql";
import type { AskForText } from "@routeql/metadata/catalog/catalog";
import type { EngineOptions } from "../interface.ts";
import { buildState, checkMetadata } from "./state.ts";

export interface SchemaTextOptions extends Pick<
  EngineOptions,
  "metadata" | "allowUnsupported" | "inferFunctionPermissions" | "namingConvention"
> {
  readonly role: string;
  /** Runs the catalogue query on the database, which all sources of the metadata share. */
  readonly ask: AskForText;
}

export class UnknownRole extends Error {
  /** The roles of the metadata, and admin. */
  readonly roles: readonly string[];

  constructor(role: string, roles: readonly string[]) {
    super(`the metadata has no role ${role}`);
    this.name = "UnknownRole";
    this.roles = roles;
  }
}

/** SDL sorted by name, so that two revisions can be compared line by line. */
export function printSorted(schema: GraphQLSchema): string {
  return printSchema(lexicographicSortSchema(schema));
}

/** The schema of one role for the metadata and a database, without an engine. @throws MetadataError, UnknownRole; any error of `ask` */
export async function schemaText({ role, ask, ...options }: SchemaTextOptions): Promise<string> {
  const state = await buildState(
    checkMetadata(options.metadata, options.allowUnsupported ?? false),
    options,
    () => ask,
  );
  if (role !== "admin" && !state.roles.includes(role)) throw new UnknownRole(role, ["admin", ...state.roles]);
  return printSorted(state.schema(role).schema);
}
