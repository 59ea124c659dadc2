import type { FunctionMetadata, TableMetadata } from "../read/shape.ts";
import { defaultName, type NameBase, type Naming } from "./naming.ts";

/** Root fields that a table can give, and what is put behind its name for each. */
const suffixes = { select: undefined, select_by_pk: "by_pk", select_aggregate: "aggregate", select_stream: "stream" } as const;

export type TableRootField = keyof typeof suffixes;

/** Names of a table's root fields in their source: what somebody chose, else after the table; the source's prefix and suffix around either. */
export function rootFieldNames({ configuration }: Pick<TableMetadata, "configuration">, names: NameBase, naming: Naming): Readonly<Record<TableRootField, string>> {
  const name = (kind: TableRootField): string => {
    const suffix = suffixes[kind];
    return naming.rootField(configuration?.custom_root_fields?.[kind]?.name ?? (suffix === undefined ? names.field : naming.suffixed(names.field, suffix)));
  };
  return { select: name("select"), select_by_pk: name("select_by_pk"), select_aggregate: name("select_aggregate"), select_stream: name("select_stream") };
}

/** Names of a function's root fields: what somebody chose is not converted, and gets its suffix in snake case. */
export function functionFields({ function: called, configuration }: Pick<FunctionMetadata, "function" | "configuration">, naming: Naming) {
  const custom = configuration?.custom_name ?? undefined;
  const automatic = defaultName(called);
  return {
    rows: configuration?.custom_root_fields?.function ?? custom ?? naming.field(automatic),
    aggregate: configuration?.custom_root_fields?.function_aggregate ?? (custom === undefined ? naming.field(`${automatic}_aggregate`) : `${custom}_aggregate`),
  };
}
