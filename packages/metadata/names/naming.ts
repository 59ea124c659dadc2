import type { QualifiedName, SourceMetadata } from "../read/shape.ts";

/** What is a name in GraphQL. */
export const graphqlName = /^[_A-Za-z][_0-9A-Za-z]*$/;

export type Convention = "hasura-default" | "graphql-default";

/** The words of a name. An underscore in front is a part of the first word, not a separator (Hasura's rule). */
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

/** `first` begins with a small letter, each other word with a capital one. */
function joinedInCamel([first = "", ...rest]: readonly string[]): string {
  return uncapitalise(first) + rest.map(capitalise).join("");
}

export function pascalCase(name: string): string {
  return words(name).map(capitalise).join("");
}

export function camelCase(name: string): string {
  return joinedInCamel(words(name));
}

/** Schema and name as one name in snake case: the schema `public` is not written. */
export function defaultName({ schema, name }: QualifiedName): string {
  return schema === "public" ? name : `${schema}_${name}`;
}

/** What the generated names of a table begin with. */
export interface NameBase {
  /** Of fields, and of the few types that are named like fields. */
  readonly field: string;
  readonly type: string;
  /** In snake case, whatever the convention. */
  readonly raw: string;
}

/**
 * Builds every generated name of one source by Hasura's rules for its naming convention and its customization. A name that
 * somebody chose is not converted; what is put behind it begins with a capital letter under graphql-default.
 */
export class Naming {
  readonly convention: Convention;
  readonly #typePrefix: string;
  readonly #typeSuffix: string;
  readonly #rootPrefix: string;
  readonly #rootSuffix: string;
  /** Root fields stand in an object of this name instead of directly in `query_root`. */
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

  /** @param custom the name that metadata give, if any */
  base(custom: string | null | undefined, table: QualifiedName): NameBase {
    const raw = custom ?? defaultName(table);
    if (!this.#graphql || (custom !== null && custom !== undefined)) return { field: raw, type: raw, raw };
    // The schema is taken apart for itself, so that an underscore in front of the table's name stays.
    const parts = table.schema === "public" ? words(table.name) : [...words(table.schema), ...words(table.name)];
    return { field: joinedInCamel(parts), type: parts.map(capitalise).join(""), raw };
  }

  /** A field or argument that the engine names, or a column. */
  field(name: string): string {
    return this.#graphql ? camelCase(name) : name;
  }

  /** Joins a field's name and a suffix such as `aggregate` or `by_pk`. */
  suffixed(name: string, suffix: string): string {
    return this.#graphql ? name + pascalCase(suffix) : `${name}_${suffix}`;
  }

  /** Names that an array relationship, or a computed field with rows, gives to the aggregate of its rows: Hasura has three rules. */
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

  /** Prefix and suffix of the source around a type's name. */
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

  /** The object in which the source's root fields stand, when they stand in one. */
  namespaceType(namespace: string, operation: "query" | "subscription"): string {
    return this.affixed(`${namespace}_${operation}`);
  }

  /** The object of aggregate predicates. It has neither the source's prefix nor its suffix. */
  aggregatePredicates(base: NameBase): string {
    return this.suffixed(base.type, "aggregate_bool_exp");
  }

  /** One aggregate predicate, which is named like a field. */
  aggregatePredicate(base: NameBase, predicate: string): string {
    const all = this.suffixed(base.field, "aggregate_bool_exp");
    return this.#graphql ? all + capitalise(predicate) : `${all}_${predicate}`;
  }

  /** The object of the columns of an aggregate predicate that takes two. */
  predicateArguments(base: NameBase, predicate: string): string {
    return this.suffixed(this.aggregatePredicate(base, predicate), "arguments");
  }

  /** The name by which the description of that enum calls it. */
  predicateColumnsTitle(base: NameBase, predicate: string): string {
    return this.suffixed(this.aggregatePredicate(base, predicate), "arguments_columns");
  }

  /** The enum of the columns that an aggregate predicate takes. */
  predicateColumns(base: NameBase, predicate: string): string {
    if (!this.#graphql) return this.affixed(`${base.type}_select_column_${base.type}_aggregate_bool_exp_${predicate}_arguments_columns`);
    return this.affixed(`${base.type}SelectColumn${capitalise(base.type)}AggregateBoolExp${capitalise(predicate)}ArgumentsColumns`);
  }

  /** A type that belongs to a scalar or an enum, e.g. `String_comparison_exp`: without prefix and suffix of the source. */
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
