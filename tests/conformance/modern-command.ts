import { type Json, record } from "./json.ts";

interface ModernCommand {
  readonly type: string;
  readonly args: unknown;
}

/** Commands of `/v1/query` whose arguments may be only the object's name. */
const namedAlone: Readonly<Record<string, string>> = {
  track_table: "table",
  add_existing_table_or_view: "table",
  track_function: "function",
  untrack_function: "function",
};

/** Converts a command of Hasura's older API to the newer one; a newer command is unchanged. */
export function modernCommand(type: string, args: unknown): ModernCommand {
  if (type === "set_table_custom_fields") {
    const { source, table, custom_root_fields, custom_column_names } = record(args);
    return {
      type: "set_table_customization",
      args: withoutMissing({
        source,
        table,
        configuration: withoutMissing({ custom_root_fields, custom_column_names }),
      }),
    };
  }
  const key = namedAlone[type];
  const modern = type === "add_existing_table_or_view" ? "track_table" : type;
  const isName = key !== undefined && (typeof args === "string" || "name" in record(args));
  return { type: modern, args: isName ? { [key]: args } : args };
}

function withoutMissing(values: Json): Json {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));
}
