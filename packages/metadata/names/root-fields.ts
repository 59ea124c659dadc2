import type { FunctionMetadata, TableMetadata } from "../read/shape.ts";
import { defaultName, type NameBase, type Naming } from "./naming.ts";

/** Possible root fields of a table, with the suffix of each. */
const suffixes = {
  select: undefined,
  select_by_pk: "by_pk",
  select_aggregate: "aggregate",
  select_stream: "stream",
} as const;

export type TableRootField = keyof typeof suffixes;

/** Names of the root fields of a table: the custom name or the name of the table, with the prefix and suffix of the source. */
export function rootFieldNames(
  { configuration }: Pick<TableMetadata, "configuration">,
  names: NameBase,
  naming: Naming,
): Readonly<Record<TableRootField, string>> {
  const name = (kind: TableRootField): string => {
    const suffix = suffixes[kind];
    return naming.rootField(
      configuration?.custom_root_fields?.[kind]?.name ??
        (suffix === undefined ? names.field : naming.suffixed(names.field, suffix)),
    );
  };
  return {
    select: name("select"),
    select_by_pk: name("select_by_pk"),
    select_aggregate: name("select_aggregate"),
    select_stream: name("select_stream"),
  };
}

/** Names of the root fields of a function. A custom name is not converted and has its suffix in snake case. */
export function functionFields(
  { function: called, configuration }: Pick<FunctionMetadata, "function" | "configuration">,
  naming: Naming,
) {
  const custom = configuration?.custom_name ?? undefined;
  const automatic = defaultName(called);
  return {
    rows: configuration?.custom_root_fields?.function ?? custom ?? naming.field(automatic),
    aggregate:
      configuration?.custom_root_fields?.function_aggregate ??
      (custom === undefined ? naming.field(`${automatic}_aggregate`) : `${custom}_aggregate`),
  };
}
