import { LRUCache } from "lru-cache";
import { type AskForText, nameKey, readCatalog, typesNamedBy } from "@routeql/metadata/catalog/catalog";
import { loadMetadata, type LoadedMetadata, valueAt } from "@routeql/metadata/read/load";
import { MetadataError, type Inconsistency, type Problem } from "@routeql/metadata/read/problems";
import { rolesWithPermission } from "@routeql/metadata/read/roles";
import type { Metadata, SourceMetadata } from "@routeql/metadata/read/shape";
import { isDeepEmpty } from "@routeql/metadata/read/shape-parts";
import { validateMetadata, type ValidMetadata } from "@routeql/metadata/read/validate";
import { Naming } from "@routeql/metadata/naming";
import { resolveNativeObjects } from "../schema/native-queries.ts";
import { readRoles, type RoleBook } from "../schema/permissions.ts";
import type { Report } from "../model.ts";
import { resolveSource, type ResolvedSource } from "../schema/resolve.ts";
import { buildRoleSchema, type RoleSchema } from "../schema/role-schema.ts";
import { checkNames } from "../schema/source-names.ts";
import type { EngineOptions } from "../interface.ts";
import { AllowList } from "./document/allow-list.ts";
import { listedQueryProblem } from "./document/listed-query.ts";

/** Everything derived from one revision of metadata and catalogue. */
export interface State {
  readonly loaded: LoadedMetadata;
  readonly metadata: Metadata;
  readonly inconsistencies: readonly Inconsistency[];
  readonly notes: ValidMetadata["notes"];
  readonly roles: readonly string[];
  readonly allowList: AllowList;
  introspectionAllowed(role: string): boolean;
  /** @param isBackend whether permissions apply that are `backend_only` */
  schema(role: string, isBackend?: boolean): RoleSchema;
}

export interface CheckedMetadata {
  readonly loaded: LoadedMetadata;
  readonly metadata: Metadata;
  /** Parts of the metadata that are not served. */
  readonly unserved: readonly Problem[];
  readonly notes: ValidMetadata["notes"];
}

/** Limit of cached role schemas; roles come from tokens or from the header of an admin request. */
const keptSchemas = 200;

/** Reads metadata and checks its structure. @throws MetadataError */
export function checkMetadata(source: EngineOptions["metadata"], allowUnsupported: boolean): CheckedMetadata {
  const loaded = loadMetadata(source);
  const { metadata, problems, notes } = validateMetadata(loaded, { allowUnsupported });
  if (metadata === undefined) throw new MetadataError(problems);
  return { loaded, metadata, unserved: problems, notes };
}

async function resolve(
  source: SourceMetadata,
  index: number,
  ask: AskForText,
  naming: Naming,
  report: Report,
): Promise<ResolvedSource> {
  const catalog = await readCatalog(
    {
      tables: source.tables.map(({ table }) => table),
      functions: [
        ...source.functions.map((entry) => entry.function),
        ...source.tables.flatMap((table) => table.computed_fields.map(({ definition }) => definition.function)),
      ],
      enumTables: source.tables.filter(({ is_enum: isEnum }) => isEnum === true).map(({ table }) => table),
      types: typesNamedBy(source),
    },
    ask,
  );
  const path = ["sources", index];
  return resolveSource(
    source,
    path,
    catalog,
    await resolveNativeObjects(source, path, catalog, ask, report),
    naming,
    report,
  );
}

/** Reports the functions that a read-only engine does not serve. */
function reportChanging({ functions }: ResolvedSource, report: Report): void {
  for (const { call, exposedAs, path } of functions) {
    if (exposedAs === "query") continue;
    const name = nameKey(call.function);
    const reason = `the function ${name} would be exposed as a mutation, which this engine does not serve; set exposed_as: query or make it STABLE`;
    report(path, "function", name, reason, "unsupported");
  }
}

function checkCollections(metadata: Metadata, report: Report): void {
  for (const [index, { collection }] of metadata.allowlist.entries()) {
    if (!metadata.query_collections.some(({ name }) => name === collection)) {
      report(["allowlist", index, "collection"], "allowlist", collection, `there is no query collection ${collection}`);
    }
  }
}

/** Keys of the metadata whose root fields or types this engine does not know. */
const addingFields = ["actions", "actions_types", "custom_types", "remote_schemas"] as const;

/** Whether another part of the metadata adds fields to the schema, such as a remote relationship or a source of another kind. */
function hasForeignFields(merged: LoadedMetadata["merged"], unserved: readonly Problem[]): boolean {
  return addingFields.some((key) => !isDeepEmpty(merged[key])) || unserved.some(({ at }) => at[0] === "sources");
}

/** Fields are checked only in a schema that is complete. */
function checkListedQueries(metadata: Metadata, admin: (() => RoleSchema) | undefined, report: Report): void {
  if (metadata.query_collections.length === 0) return;
  const schema = admin?.().schema;
  for (const [index, { definition, name }] of metadata.query_collections.entries()) {
    for (const [position, { name: query, query: text }] of definition.queries.entries()) {
      const reason = listedQueryProblem(text, schema);
      if (reason === undefined) continue;
      const path = ["query_collections", index, "definition", "queries", position, "query"];
      report(path, "query_collection", `${name}.${query}`, reason);
    }
  }
}

/** Inherited roles that are served: a role with a missing parent is reported, and inherits nothing. */
function wholeInheritedRoles(
  { inherited_roles: inherited }: Metadata,
  merged: unknown,
  elsewhere: Iterable<string>,
  report: Report,
): Metadata["inherited_roles"] {
  if (inherited.length === 0) return inherited;
  const known = new Set([
    ...rolesWithPermission(merged),
    ...inherited.map(({ role_name: name }) => name),
    ...elsewhere,
  ]);
  return inherited.map((role, index) => {
    const missing = role.role_set.filter((part) => !known.has(part));
    if (missing.length === 0) return role;
    const reason = `the following parent role(s) are not found: ${missing.join(", ")} which are required to construct the inherited role: "${role.role_name}"`;
    report(["inherited_roles", index], "inherited_role", role.role_name, reason);
    return { ...role, role_set: [] };
  });
}

/** Matches metadata with the databases. @throws MetadataError with every mismatch, unless inconsistencies are allowed */
export async function buildState(
  checked: CheckedMetadata,
  options: EngineOptions,
  askOf: (source: string) => AskForText,
): Promise<State> {
  const { loaded, metadata } = checked;
  const inconsistencies: Inconsistency[] = [];
  const report: Report = (path, type, name, reason, kind = "inconsistent") => {
    inconsistencies.push({
      ...loaded.locate(path),
      reason,
      kind,
      type,
      name,
      definition: valueAt(loaded.merged, path) ?? null,
      at: path,
    });
  };
  const inherited = wholeInheritedRoles(metadata, loaded.merged, options.rolesElsewhere ?? [], report);
  const sources: { source: ResolvedSource; book: RoleBook }[] = [];
  for (const [index, entry] of metadata.sources.entries()) {
    const naming = new Naming(entry.customization, options.namingConvention ?? "hasura-default");
    const source = await resolve(entry, index, askOf(entry.name), naming, report);
    sources.push({ source, book: readRoles(source, inherited, report) });
  }
  const {
    inferFunctionPermissions = true,
    hideAggregationPredicates = false,
    hideStreams = false,
    mutations = true,
  } = options;
  const schemaOptions = { inferFunctionPermissions, hideAggregationPredicates, hideStreams, mutations };
  const roles = [...new Set(sources.flatMap(({ book }) => book.roles))].sort();
  if (!mutations) for (const { source } of sources) reportChanging(source, report);
  checkNames(sources, roles, schemaOptions, report);
  checkCollections(metadata, report);
  const isComplete = inconsistencies.length === 0 && !hasForeignFields(loaded.merged, checked.unserved);
  const wholeSchema = { ...schemaOptions, hideStreams: false, mutations: true };
  const admin = () => buildRoleSchema(sources, { role: "admin", isBackend: true }, wholeSchema);
  checkListedQueries(metadata, isComplete ? admin : undefined, report);
  if (inconsistencies.length > 0 && options.allowInconsistent !== true) throw new MetadataError(inconsistencies);
  const unserved = checked.unserved.map((problem): Inconsistency => ({
    ...problem,
    type: "metadata",
    name: problem.path,
    definition: valueAt(loaded.merged, problem.at) ?? null,
  }));
  const schemas = new LRUCache<string, RoleSchema>({ max: keptSchemas });
  const disabled = new Set(metadata.graphql_schema_introspection.disabled_for_roles);
  return {
    loaded,
    metadata,
    inconsistencies: [...unserved, ...inconsistencies],
    notes: checked.notes,
    roles,
    allowList: new AllowList(metadata),
    introspectionAllowed: (role) => !disabled.has(role),
    schema: (role, isBackend = false) => {
      const key = `${String(isBackend)} ${role}`;
      const known = schemas.get(key);
      if (known !== undefined) return known;
      const schema = buildRoleSchema(sources, { role, isBackend }, schemaOptions);
      schemas.set(key, schema);
      return schema;
    },
  };
}
