/**
 * Commands of Hasura's `/v1/metadata` that this engine does not support, with reasons.
 * @module
 */

const eventTriggers = "event triggers are not served";
const remoteSchemas = "remote schemas are not served";
const schedules = "cron triggers and scheduled events are not served";
const actions = "actions are not served";
const endpoints = "REST endpoints are not served";
const otherDatabases = "sources other than Postgres are not served";
const remoteRelationships = "relationships to other sources and to remote schemas are not served";
const procedures = "stored procedures are not served, nor does Hasura serve them for Postgres";
const limits = "limits are settings of the engine";
const watching = "the engine has metrics and logs of its own";
const wholeMetadata = "it changes one object; change the whole metadata with replace_metadata";
const parts = "export_metadata returns the whole metadata";
const catalogue = "only the tables that metadata name are looked up";

function all(names: readonly string[], reason: string): [string, string][] {
  return names.map((name) => [name, reason]);
}

export const notServed: ReadonlyMap<string, string> = new Map([
  ...all(
    ["add", "update", "remove", "reload", "introspect"].map((verb) => `${verb}_remote_schema`),
    remoteSchemas,
  ),
  ...all(["add_remote_schema_permissions", "drop_remote_schema_permissions"], remoteSchemas),
  ...all(
    ["create", "update", "delete"].map((verb) => `${verb}_remote_schema_remote_relationship`),
    remoteSchemas,
  ),
  ...all(
    ["cleanup_event_trigger_logs", "resume_event_trigger_cleanups", "pause_event_trigger_cleanups"],
    eventTriggers,
  ),
  ...all(
    [
      "create_cron_trigger",
      "delete_cron_trigger",
      "create_scheduled_event",
      "delete_scheduled_event",
      "get_scheduled_events",
      "get_scheduled_event_invocations",
      "get_cron_triggers",
    ],
    schedules,
  ),
  ...all(
    [
      "create_action",
      "drop_action",
      "update_action",
      "create_action_permission",
      "drop_action_permission",
      "set_custom_types",
    ],
    actions,
  ),
  ...all(["create_rest_endpoint", "drop_rest_endpoint"], endpoints),
  ...all(
    ["dc_add_agent", "dc_delete_agent", "list_source_kinds", "get_source_kind_capabilities", "get_table_info"],
    otherDatabases,
  ),
  ...all(["set_api_limits", "remove_api_limits"], limits),
  ...all(
    ["set_metrics_config", "remove_metrics_config", "set_opentelemetry_config", "set_opentelemetry_status"],
    watching,
  ),
  ...all(
    ["add_host_to_tls_allowlist", "drop_host_from_tls_allowlist", "test_webhook_transform"],
    "the engine calls no webhooks",
  ),
  ...all(["dump_internal_state"], "the engine's state is not Hasura's"),
  ...all(["set_query_tags"], "query tags are not served"),
  ...all(
    [
      "rename_source",
      "add_inherited_role",
      "drop_inherited_role",
      "set_graphql_schema_introspection_options",
      "bulk_atomic",
    ],
    wholeMetadata,
  ),
  ...all(
    [
      "create_query_collection",
      "rename_query_collection",
      "drop_query_collection",
      "add_query_to_collection",
      "drop_query_from_collection",
    ],
    wholeMetadata,
  ),
  ...all(
    ["add_collection_to_allowlist", "drop_collection_from_allowlist", "update_scope_of_collection_in_allowlist"],
    wholeMetadata,
  ),
]);

/** The same for commands with the database kind as prefix. */
export const notServedOfPostgres: ReadonlyMap<string, string> = new Map([
  ...all(
    [
      "add_source",
      "update_source",
      "drop_source",
      "track_table",
      "track_tables",
      "untrack_table",
      "untrack_tables",
      "set_table_customization",
      "set_table_is_enum",
    ],
    wholeMetadata,
  ),
  ...all(
    ["select", "insert", "update", "delete"].flatMap((kind) => [
      `create_${kind}_permission`,
      `drop_${kind}_permission`,
    ]),
    wholeMetadata,
  ),
  ...all(
    [
      "set_permission_comment",
      "create_object_relationship",
      "create_array_relationship",
      "drop_relationship",
      "rename_relationship",
      "set_relationship_comment",
    ],
    wholeMetadata,
  ),
  ...all(
    [
      "track_function",
      "untrack_function",
      "set_function_customization",
      "create_function_permission",
      "drop_function_permission",
      "add_computed_field",
      "drop_computed_field",
    ],
    wholeMetadata,
  ),
  ...all(
    ["native_query", "logical_model"].flatMap((kind) => [`track_${kind}`, `untrack_${kind}`]),
    wholeMetadata,
  ),
  ...all(["create_logical_model_select_permission", "drop_logical_model_select_permission"], wholeMetadata),
  ...all(["get_native_query", "get_logical_model"], parts),
  ...all(
    [
      "invoke_event_trigger",
      "create_event_trigger",
      "delete_event_trigger",
      "redeliver_event",
      "get_event_logs",
      "get_event_invocation_logs",
      "get_event_by_id",
    ],
    eventTriggers,
  ),
  ...all(
    ["create_remote_relationship", "update_remote_relationship", "delete_remote_relationship"],
    remoteRelationships,
  ),
  ...all(["get_stored_procedure", "track_stored_procedure", "untrack_stored_procedure"], procedures),
  ...all(["get_source_tables", "get_source_trackables", "get_table_info", "suggest_relationships"], catalogue),
  ...all(["set_apollo_federation_config"], "Apollo federation is not served"),
  ...all(["test_connection_template"], "connection templates are not served"),
]);

/** Database kinds that Hasura supports, by the prefix of their commands. */
export const otherKinds: ReadonlySet<string> = new Set([
  "citus",
  "cockroach",
  "mssql",
  "bigquery",
  "dataconnector",
  "mysql",
  "snowflake",
  "athena",
  "oracle",
  "mariadb",
  "redshift",
  "databricks",
]);
