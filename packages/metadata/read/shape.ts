/** The strict shape of merged metadata v3: unknown keys are errors, unserved ones errors of another kind. */
import { z } from "zod";
import {
  deletePermission,
  insertPermission,
  logicalModel,
  manualConfiguration,
  name,
  nativeQuery,
  qualifiedName,
  selectPermission,
  unserved,
  unsupported,
  updatePermission,
  withoutEffect,
} from "./shape-parts.ts";

const rootField = z.union([
  name.transform((value) => ({ name: value, comment: undefined })),
  z
    .strictObject({ name: name.nullish(), comment: z.string().nullish() })
    .transform((field) => ({ name: field.name ?? undefined, comment: field.comment ?? undefined })),
]);

const customRootFields = z.strictObject({
  select: rootField.nullish(),
  select_by_pk: rootField.nullish(),
  select_aggregate: rootField.nullish(),
  select_stream: rootField.nullish(),
  insert: rootField.nullish(),
  insert_one: rootField.nullish(),
  update: rootField.nullish(),
  update_by_pk: rootField.nullish(),
  update_many: rootField.nullish(),
  delete: rootField.nullish(),
  delete_by_pk: rootField.nullish(),
});

const tableConfiguration = z.strictObject({
  custom_name: name.nullish(),
  custom_root_fields: customRootFields.nullish(),
  custom_column_names: z.record(z.string(), name).nullish(),
  column_config: z
    .record(z.string(), z.strictObject({ custom_name: name.nullish(), comment: z.string().nullish() }))
    .nullish(),
  comment: z.string().nullish(),
});

const columnList = z.union([z.string().transform((column) => [column]), z.array(z.string()).min(1)]);

const remoteForeignKey = z
  .strictObject({ table: qualifiedName, column: z.string().optional(), columns: columnList.optional() })
  .transform(({ table, column, columns }, context) => {
    const list = columns ?? (column === undefined ? undefined : [column]);
    if (list === undefined) {
      context.addIssue({ code: "custom", message: "either column or columns is needed" });
      return z.NEVER;
    }
    return { table, columns: list };
  });

const relationship = z.strictObject({
  name,
  comment: z.string().nullish(),
  using: z
    .strictObject({
      foreign_key_constraint_on: z.union([columnList, remoteForeignKey]).optional(),
      manual_configuration: manualConfiguration.optional(),
    })
    .refine(
      (using) => (using.foreign_key_constraint_on === undefined) !== (using.manual_configuration === undefined),
      "exactly one of foreign_key_constraint_on and manual_configuration is needed",
    ),
});

const computedField = z.strictObject({
  name,
  definition: z.strictObject({
    function: qualifiedName,
    table_argument: z.string().nullish(),
    session_argument: z.string().nullish(),
  }),
  comment: z.string().nullish(),
});

const table = z.strictObject({
  table: qualifiedName,
  is_enum: z.boolean().nullable().default(false),
  configuration: tableConfiguration.nullish(),
  object_relationships: z.array(relationship).default([]),
  array_relationships: z.array(relationship).default([]),
  computed_fields: z.array(computedField).default([]),
  select_permissions: z.array(selectPermission).default([]),
  insert_permissions: z.array(insertPermission).default([]),
  update_permissions: z.array(updatePermission).default([]),
  delete_permissions: z.array(deletePermission).default([]),
  event_triggers: unserved("event triggers"),
  remote_relationships: unserved("remote relationships"),
  apollo_federation_config: unserved("Apollo federation"),
  logical_model: unserved("tables of which a logical model says what they hold"),
});

const trackedFunction = z.strictObject({
  function: qualifiedName,
  configuration: z
    .strictObject({
      custom_name: name.nullish(),
      custom_root_fields: z.strictObject({ function: name.nullish(), function_aggregate: name.nullish() }).nullish(),
      session_argument: z.string().nullish(),
      exposed_as: z.enum(["query", "mutation"]).nullish(),
      response: unserved("functions that answer with anything but a table's rows", 2),
    })
    .nullish(),
  permissions: z.array(z.strictObject({ role: z.string().min(1) })).default([]),
  comment: z.string().nullish(),
});

const fromEnvironment = z.strictObject({ from_env: z.string().min(1) });

/** A certificate, a key or a password: its value, or the name of an environment variable. */
const secretText = z.union([z.string(), fromEnvironment]).nullish();

const sslConfiguration = z.strictObject({
  sslmode: z.enum(["disable", "allow", "prefer", "require", "verify-ca", "verify-full"]),
  sslrootcert: secretText,
  sslcert: secretText,
  sslkey: secretText,
  sslpassword: secretText,
});

const dynamicUrl = z.strictObject({ dynamic_from_file: z.string() }).transform((_value, context) => {
  context.addIssue(unsupported("addresses that change while it runs; use from_env and NAME_FILE", 3));
  return z.NEVER;
});

const connectionInfo = z.strictObject({
  database_url: z.union([
    z.string().superRefine((url, context) => {
      if (url.startsWith("dynamic-from-file:"))
        context.addIssue(unsupported("addresses that change while it runs; use from_env and NAME_FILE", 3));
    }),
    fromEnvironment,
    z.strictObject({
      connection_parameters: z.strictObject({
        host: z.string(),
        port: z.number().int(),
        username: z.string(),
        password: z.union([z.string(), fromEnvironment]).nullish(),
        database: z.string(),
      }),
    }),
    dynamicUrl,
  ]),
  isolation_level: withoutEffect(
    z.enum(["read-committed", "repeatable-read", "serializable"]).nullish(),
    "the queries of one request see one snapshot, as with repeatable-read",
    (level) => level === "serializable",
  ),
  use_prepared_statements: withoutEffect(
    z.boolean().nullish(),
    "a statement that comes again is prepared",
    (uses) => uses === false,
  ),
  pool_settings: z
    .strictObject({
      max_connections: z.number().int().positive().nullish(),
      idle_timeout: z.number().nonnegative().nullish(),
      connection_lifetime: withoutEffect(
        z.number().nonnegative().nullish(),
        "connections are closed when they are idle or broken",
      ),
      pool_timeout: withoutEffect(z.number().nonnegative().nullish(), "a request waits 5 seconds for a connection"),
      retries: withoutEffect(
        z.number().int().nullish(),
        "a connection that fails is not tried again for the same request",
      ),
      total_max_connections: withoutEffect(
        z.number().int().nullish(),
        "it belongs to Hasura Cloud; max_connections counts for each replica",
      ),
    })
    .nullish(),
  ssl_configuration: sslConfiguration.nullish(),
});

const sourceCustomization = z.strictObject({
  naming_convention: z.enum(["hasura-default", "graphql-default"]).nullish(),
  root_fields: z.strictObject({ namespace: name.nullish(), prefix: name.nullish(), suffix: name.nullish() }).nullish(),
  type_names: z.strictObject({ prefix: name.nullish(), suffix: name.nullish() }).nullish(),
});

const source = z.strictObject({
  name: z.string().min(1),
  kind: z.enum(["postgres", "pg"], { error: "this engine serves Postgres sources only" }).default("postgres"),
  configuration: z.strictObject({
    connection_info: connectionInfo,
    extensions_schema: withoutEffect(
      z.string().nullish(),
      "no extension is installed, and types are found wherever they are",
    ),
    read_replicas: unserved("read replicas"),
    connection_set: unserved("connection sets"),
    connection_template: unserved("connection templates"),
  }),
  customization: sourceCustomization.nullish(),
  tables: z.array(table),
  functions: z.array(trackedFunction).default([]),
  logical_models: z.array(logicalModel).default([]),
  native_queries: z.array(nativeQuery).default([]),
  stored_procedures: unserved("stored procedures"),
  health_check: unserved("source health checks; /healthz asks the database"),
  query_tags: z
    .strictObject({
      disabled: z.boolean().nullish(),
      format: z.enum(["standard", "sqlcommenter", "standard_prepended"]).nullish(),
      omit_request_id: z.boolean().nullish(),
    })
    .nullish()
    .superRefine((value, context) => {
      if (value !== null && value !== undefined && value.disabled !== true) {
        context.addIssue(unsupported("query tags"));
      }
    }),
});

export const metadataShape = z.strictObject({
  version: z.literal(3, { error: "only metadata version 3 is served" }),
  sources: z.array(source),
  inherited_roles: z.array(z.strictObject({ role_name: z.string().min(1), role_set: z.array(z.string()) })).default([]),
  query_collections: z
    .array(
      z.strictObject({
        name: z.string(),
        comment: z.string().nullish(),
        definition: z.strictObject({ queries: z.array(z.strictObject({ name: z.string(), query: z.string() })) }),
      }),
    )
    .default([]),
  allowlist: z
    .array(
      z.strictObject({
        collection: z.string(),
        scope: z
          .union([
            z.strictObject({ global: z.literal(true) }),
            z.strictObject({ global: z.literal(false), roles: z.array(z.string()).min(1) }),
          ])
          .default({ global: true }),
      }),
    )
    .default([]),
  graphql_schema_introspection: z.strictObject({ disabled_for_roles: z.array(z.string()).default([]) }).prefault({}),
  actions: unserved("actions"),
  actions_types: unserved("actions"),
  custom_types: unserved("custom types of actions"),
  api_limits: unserved("api_limits; the engine's own settings limit depth, breadth and time"),
  backend_configs: unserved("data connectors"),
  cron_triggers: unserved("cron triggers"),
  metrics_config: unserved("metrics_config"),
  network: unserved("network settings of webhooks"),
  opentelemetry: unserved("OpenTelemetry export"),
  remote_schemas: unserved("remote schemas"),
  rest_endpoints: unserved("REST endpoints"),
});

export type Metadata = z.output<typeof metadataShape>;
export type SourceMetadata = Metadata["sources"][number];
export type TableMetadata = SourceMetadata["tables"][number];
export type FunctionMetadata = SourceMetadata["functions"][number];
export type RelationshipMetadata = TableMetadata["object_relationships"][number];
export type SelectPermissionMetadata = TableMetadata["select_permissions"][number];
export type ComputedFieldMetadata = TableMetadata["computed_fields"][number];
export type { QualifiedName } from "./shape-parts.ts";
