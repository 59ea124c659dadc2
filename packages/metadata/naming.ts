import type { FunctionMetadata, QualifiedName, SourceMetadata, TableMetadata } from "./read/shape.ts";

export const graphqlName = /^[_A-Za-z][_0-9A-Za-z]*$/;

/** Names that no enum value may have (GraphQL specification, "Enum Value"). */
export const reservedEnumValues: ReadonlySet<string> = new Set(["true", "false", "null"]);

export type Convention = "hasura-default" | "graphql-default";

/** The words of a name. A leading underscore belongs to the first word (rule of Hasura). */
function words(name: string): string[] {
  const [first = "", ...rest] = name.split("_");
  return first === "" && rest.length > 0 ? [`_${rest[0] ?? ""}`, ...rest.slice(1)] : [first, ...rest];
}

function capitalise(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}

function uncapitalise(word: string): string {
  return word.charAt(0).toLowerCase() + word.slice(1);
}

/** Camel case: a small first letter, and a capital letter for each further word. */
function joinedInCamel([first = "", ...rest]: readonly string[]): string {
  return uncapitalise(first) + rest.map(capitalise).join("");
}

export function pascalCase(name: string): string {
  return words(name).map(capitalise).join("");
}

export function camelCase(name: string): string {
  return joinedInCamel(words(name));
}

/** Schema and name as one name in snake case, without the schema `public`. */
export function defaultName({ schema, name }: QualifiedName): string {
  return schema === "public" ? name : `${schema}_${name}`;
}

/** The prefix of the generated names of a table. */
export interface NameBase {
  /** For fields, and for the few types with names like fields. */
  readonly field: string;
  readonly type: string;
  /** In snake case under every convention. */
  readonly raw: string;
}

/** Builds the generated names of one source by Hasura's rules. Custom names are not converted, only their suffixes. */
export class Naming {
  readonly convention: Convention;
  readonly #typePrefix: string;
  readonly #typeSuffix: string;
  readonly #rootPrefix: string;
  readonly #rootSuffix: string;
  /** The object that contains the root fields, instead of `query_root`. */
  readonly namespace: string | undefined;

  constructor(customization: SourceMetadata["customization"], fallback: Convention) {
    this.convention = customization?.naming_convention ?? fallback;
    this.#typePrefix = customization?.type_names?.prefix ?? "";
    this.#typeSuffix = customization?.type_names?.suffix ?? "";
    this.#rootPrefix = customization?.root_fields?.prefix ?? "";
    this.#rootSuffix = customization?.root_fields?.suffix ?? "";
    this.namespace = customization?.root_fields?.namespace ?? undefined;
  }

  get #graphql(): boolean {
    return this.convention === "graphql-default";
  }

  /** @param custom the custom name in the metadata, if there is one */
  base(custom: string | null | undefined, table: QualifiedName): NameBase {
    const raw = custom ?? defaultName(table);
    if (!this.#graphql || (custom !== null && custom !== undefined)) return { field: raw, type: raw, raw };
    // Split the schema separately, so that a leading underscore of the table name stays.
    const parts = table.schema === "public" ? words(table.name) : [...words(table.schema), ...words(table.name)];
    return { field: joinedInCamel(parts), type: parts.map(capitalise).join(""), raw };
  }

  /** The name of a column, or of a field or argument of the engine. */
  field(name: string): string {
    return this.#graphql ? camelCase(name) : name;
  }

  /** Appends a suffix such as `aggregate` or `by_pk` to the name of a field. */
  suffixed(name: string, suffix: string): string {
    return this.#graphql ? name + pascalCase(suffix) : `${name}_${suffix}`;
  }

  /** Puts a verb such as `insert` before the name of a table, and a suffix such as `one` after it. */
  changing(verb: string, { field, type }: NameBase, suffix: string | undefined): string {
    return this.#joined(this.#graphql ? verb + capitalise(type) : `${verb}_${field}`, suffix);
  }

  /** Names of the aggregate of an array relationship or of a computed field with rows. Hasura has three rules. */
  aggregateOf(name: string, place: "field" | "filter" | "order"): string {
    if (!this.#graphql || place === "field") return this.field(`${name}_aggregate`);
    return this.suffixed(place === "order" ? uncapitalise(name) : name, "aggregate");
  }

  #joined(base: string, suffix: string | undefined): string {
    return suffix === undefined ? base : this.suffixed(base, suffix);
  }

  /** A type belonging to a table, e.g. `(author, "bool_exp")`. */
  type(base: NameBase, suffix?: string): string {
    return this.affixed(this.#joined(base.type, suffix));
  }

  /** The name of a type with the prefix and suffix of the source. */
  affixed(name: string): string {
    return this.#around(this.#typePrefix, name, this.#typeSuffix);
  }

  #around(prefix: string, name: string, suffix: string): string {
    if (!this.#graphql) return prefix + name + suffix;
    return (prefix === "" ? name : prefix + capitalise(name)) + capitalise(suffix);
  }

  /** The input object with the arguments of a tracked function; `name` is its custom name or the one in the database. */
  functionArguments(name: string): string {
    return this.affixed(this.field(`${name}_args`));
  }

  /** The same for a computed field, in snake case under either convention (Hasura converts it behind a flag that is off). */
  computedFieldArguments(field: string, table: NameBase): string {
    return this.affixed(`${field}_${table.raw}_args`);
  }

  /** The object that contains the root fields of the source, if there is one. */
  namespaceType(
    namespace: string,
    operation: "query" | "mutation_frontend" | "mutation_backend" | "subscription",
  ): string {
    return this.affixed(`${namespace}_${operation}`);
  }

  /** The object of aggregate predicates, without the prefix and suffix of the source. */
  aggregatePredicates(base: NameBase): string {
    return this.suffixed(base.type, "aggregate_bool_exp");
  }

  /** One aggregate predicate, with a name like a field. */
  aggregatePredicate(base: NameBase, predicate: string): string {
    const all = this.suffixed(base.field, "aggregate_bool_exp");
    return this.#graphql ? all + capitalise(predicate) : `${all}_${predicate}`;
  }

  /** The object with the columns of an aggregate predicate with two columns. */
  predicateArguments(base: NameBase, predicate: string): string {
    return this.suffixed(this.aggregatePredicate(base, predicate), "arguments");
  }

  /** The name of that enum in its description. */
  predicateColumnsTitle(base: NameBase, predicate: string): string {
    return this.suffixed(this.aggregatePredicate(base, predicate), "arguments_columns");
  }

  predicateColumns(base: NameBase, predicate: string): string {
    if (!this.#graphql)
      return this.affixed(`${base.type}_select_column_${base.type}_aggregate_bool_exp_${predicate}_arguments_columns`);
    return this.affixed(
      `${base.type}SelectColumn${capitalise(base.type)}AggregateBoolExp${capitalise(predicate)}ArgumentsColumns`,
    );
  }

  /** A type of a scalar or an enum, e.g. `String_comparison_exp`, without the prefix and suffix of the source. */
  scalarType(scalar: string, suffix: string): string {
    return this.unaffixed(`${scalar}_${suffix}`);
  }

  /** A type that all sources share. */
  unaffixed(name: string): string {
    return this.#graphql ? pascalCase(name) : name;
  }

  /** A type that each source has of its own. */
  shared(name: string): string {
    return this.affixed(this.unaffixed(name));
  }

  rootField(name: string): string {
    return this.#around(this.#rootPrefix, name, this.#rootSuffix);
  }

  get enumsInCapitals(): boolean {
    return this.#graphql;
  }

  enumValue(name: string): string {
    return this.enumsInCapitals ? name.toUpperCase() : name;
  }
}

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

/** Possible root fields that change a table: the verb, and the suffix of each. */
const changes = {
  insert: ["insert", undefined],
  insert_one: ["insert", "one"],
  update: ["update", undefined],
  update_by_pk: ["update", "by_pk"],
  update_many: ["update", "many"],
  delete: ["delete", undefined],
  delete_by_pk: ["delete", "by_pk"],
} as const;

export type MutationRootField = keyof typeof changes;

/** Names of the root fields that change a table, as for {@link rootFieldNames}. */
export function mutationFieldNames(
  { configuration }: Pick<TableMetadata, "configuration">,
  names: NameBase,
  naming: Naming,
): Readonly<Record<MutationRootField, string>> {
  const entries = Object.entries(changes).map(([kind, [verb, suffix]]) => {
    const custom = configuration?.custom_root_fields?.[kind as MutationRootField]?.name;
    return [kind, naming.rootField(custom ?? naming.changing(verb, names, suffix))];
  });
  return Object.fromEntries(entries) as Record<MutationRootField, string>;
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
