/** Commands of Hasura's `/v1/metadata` that this engine does not support, with reasons. */

const wholeMetadata = "it changes one object; change the whole metadata with replace_metadata";
const otherDatabases = "sources other than Postgres are not served";
const eventTriggers = "event triggers are not served";

type Reasons = readonly (readonly [names: RegExp, reason: string])[];

/** The first match applies. */
const reasons: Reasons = [
  [/remote_schema/, "remote schemas are not served"],
  [/event_trigger/, eventTriggers],
  [/cron_trigger|scheduled_event/, "cron triggers and scheduled events are not served"],
  [/action|custom_types/, "actions are not served"],
  [/rest_endpoint/, "REST endpoints are not served"],
  [/^dc_|source_kind|^get_table_info$/, otherDatabases],
  [/api_limits/, "limits are settings of the engine"],
  [/metrics_config|opentelemetry/, "the engine has metrics and logs of its own"],
  [/tls_allowlist|webhook_transform/, "the engine calls no webhooks"],
  [/^dump_internal_state$/, "the engine's state is not Hasura's"],
  [/query_tags/, "query tags are not served"],
  [/^rename_source$|^bulk_atomic$|inherited_role|introspection_options|collection/, wholeMetadata],
  [
    /^(?:citus|cockroach|mssql|bigquery|dataconnector|mysql|snowflake|athena|oracle|mariadb|redshift|databricks)(?:_|$)/,
    otherDatabases,
  ],
];

/** The same for commands with the prefix `pg_`, without it. */
const reasonsOfPostgres: Reasons = [
  [/event/, eventTriggers],
  [/remote_relationship/, "relationships to other sources and to remote schemas are not served"],
  [/stored_procedure/, "stored procedures are not served, nor does Hasura serve them for Postgres"],
  [/^get_(?:source|table)|suggest_relationships/, "only the tables that the metadata names are looked up"],
  [/^get_(?:native_query|logical_model)$/, "export_metadata returns the whole metadata"],
  [/apollo_federation/, "Apollo federation is not served"],
  [/connection_template/, "connection templates are not served"],
  [
    /_(?:source|tables?|function|native_query|logical_model|permission|relationship|comment|field|customization|is_enum)$/,
    wholeMetadata,
  ],
];

/** Why a command is not served; undefined for a name that Hasura does not know either. */
export function notServed(name: string, isPostgres: boolean): string | undefined {
  return (isPostgres ? reasonsOfPostgres : reasons).find(([names]) => names.test(name))?.[1];
}
