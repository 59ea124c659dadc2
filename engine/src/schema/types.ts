import type { DatabaseType } from "@routeql/metadata/catalog/catalog";
import { type Naming, reservedEnumValues } from "@routeql/metadata/naming";
import {
  DirectiveLocation,
  GraphQLBoolean,
  GraphQLDirective,
  GraphQLEnumType,
  type GraphQLEnumValueConfigMap,
  type GraphQLFieldConfigMap,
  GraphQLFloat,
  type GraphQLInputFieldConfigMap,
  GraphQLInputObjectType,
  type GraphQLInputType,
  GraphQLInt,
  GraphQLList,
  type GraphQLNamedType,
  GraphQLNonNull,
  type GraphQLNullableType,
  GraphQLObjectType,
  GraphQLScalarType,
  GraphQLString,
} from "graphql";
import type { RoleWrites } from "./mutations/permissions.ts";
import { hasClientArguments, meaning, type Visible, type VisibleTable, type WriteTarget } from "./meta.ts";
import { never } from "../sql/expression.ts";
import type { ComputedField, Enumeration, Relationship, RowModel, TableColumn, TrackedTable } from "../model.ts";
import type { RolePermissions, TablePermission } from "./permissions.ts";
import { scalarName } from "./scalars.ts";

export type OutputFields = GraphQLFieldConfigMap<unknown, unknown>;
export type InputFields = GraphQLInputFieldConfigMap;

/** Hasura sorts everything by name, in code point order. */
export function byName<Entry>(entries: Readonly<Record<string, Entry>>): Record<string, Entry> {
  return Object.fromEntries(Object.entries(entries).sort(([one], [other]) => (one < other ? -1 : 1)));
}

export const list = <Type extends GraphQLNullableType>(type: Type) =>
  new GraphQLNonNull(new GraphQLList(new GraphQLNonNull(type)));
export const nullableList = <Type extends GraphQLNullableType>(type: Type) => new GraphQLList(new GraphQLNonNull(type));

const builtin = new Map<string, GraphQLScalarType>(
  [GraphQLInt, GraphQLFloat, GraphQLString, GraphQLBoolean].map((type) => [type.name, type]),
);

/** Lists that are single database values: no value is wrapped in a list for them, and their items are not checked. */
const arrays = new WeakSet();

export function isArray(type: GraphQLInputType): type is GraphQLList<GraphQLNonNull<GraphQLScalarType>> {
  return arrays.has(type);
}

export interface TypeOptions {
  readonly hideAggregationPredicates: boolean;
  readonly hideStreams: boolean;
}

/** The rights of a role without a select permission. */
const nothingVisible: TablePermission = {
  columns: new Map(),
  computedFields: new Map(),
  filter: never,
  limit: undefined,
  allowAggregations: false,
  queryRootFields: undefined,
  subscriptionRootFields: undefined,
};

/** Builds the types of one role; each name is built once. */
export class TypeBook {
  readonly naming: Naming;
  readonly options: TypeOptions;
  readonly #permissions: RolePermissions;
  readonly #writes: RoleWrites;
  readonly #types: Map<string, GraphQLNamedType>;
  readonly #elsewhere: ReadonlySet<string>;

  /** @param types existing ones of the source or of all sources, to share @param elsewhere type names of earlier sources */
  constructor(
    naming: Naming,
    permissions: RolePermissions,
    writes: RoleWrites,
    types: Map<string, GraphQLNamedType>,
    options: TypeOptions,
    elsewhere: ReadonlySet<string>,
  ) {
    this.#elsewhere = elsewhere;
    this.naming = naming;
    this.options = options;
    this.#permissions = permissions;
    this.#writes = writes;
    this.#types = types;
  }

  /** The table or logical model with the role's permission; undefined without one. */
  visible<Rows extends RowModel>(table: Rows): Visible<Rows> | undefined {
    const permission = this.#permissions.get(table.key);
    return permission === undefined ? undefined : { table, permission };
  }

  /** Relationships to tables that the role may see. */
  related(
    relationships: Iterable<Relationship>,
  ): readonly { readonly relationship: Relationship; readonly target: VisibleTable }[] {
    return [...relationships].flatMap((relationship) => {
      const target = this.visible(relationship.target);
      return target === undefined ? [] : [{ relationship, target }];
    });
  }

  /** Computed fields with rows that the role may see, without arguments of a client. */
  computedRows({
    computedFields,
  }: RowModel): readonly { readonly field: ComputedField; readonly target: VisibleTable }[] {
    return [...computedFields.values()].flatMap((field) => {
      const target = field.result.kind === "table" ? this.visible(field.result.target) : undefined;
      return target === undefined || hasClientArguments(field) ? [] : [{ field, target }];
    });
  }

  /** The table with the role's rights to change it; undefined without any. */
  writable(table: TrackedTable): WriteTarget | undefined {
    const writes = this.#writes.get(table.key);
    const permission = this.#permissions.get(table.key) ?? nothingVisible;
    return writes === undefined ? undefined : { table, permission, ...writes };
  }

  #once<Type extends GraphQLNamedType>(name: string, build: () => Type): Type {
    const known = this.#types.get(name);
    if (known !== undefined) return known as Type;
    const type = build();
    this.#types.set(name, type);
    return type;
  }

  /** A name without its source's prefix and suffix. It gets them when another source has such a type (Hasura rejects both then). */
  own(name: string): string {
    return this.#elsewhere.has(name) ? this.naming.affixed(name) : name;
  }

  object(name: string, description: string | undefined, fields: () => OutputFields): GraphQLObjectType {
    return this.#once(name, () => new GraphQLObjectType({ name, description, fields: () => byName(fields()) }));
  }

  input(name: string, description: string | undefined, fields: () => InputFields): GraphQLInputObjectType {
    return this.#once(name, () => new GraphQLInputObjectType({ name, description, fields: () => byName(fields()) }));
  }

  /** Omits values that GraphQL does not allow: a column `true` has no value in an enum, but all its other fields. */
  enumeration(name: string, description: string | undefined, values: () => GraphQLEnumValueConfigMap): GraphQLEnumType {
    return this.#once(name, () => {
      const allowed = Object.entries(values()).filter(([value]) => !reservedEnumValues.has(value));
      return new GraphQLEnumType({ name, description, values: byName(Object.fromEntries(allowed)) });
    });
  }

  scalar(type: DatabaseType): GraphQLScalarType {
    const name = scalarName(type);
    return builtin.get(name) ?? this.#once(name, () => new GraphQLScalarType({ name }));
  }

  enumTable(enumeration: Enumeration): GraphQLEnumType {
    return this.enumeration(enumeration.typeName, undefined, () =>
      Object.fromEntries(
        enumeration.values.map(({ value, comment }) => [this.naming.enumValue(value), { value, description: comment }]),
      ),
    );
  }

  /** Type of a value in results and in arguments; an array is a list. */
  value(type: DatabaseType): GraphQLScalarType | GraphQLList<GraphQLNonNull<GraphQLScalarType>> {
    if (type.element === undefined) return this.scalar(type);
    const list = nullableList(this.scalar(type.element));
    arrays.add(list);
    return list;
  }

  column({ type, enumeration }: TableColumn): GraphQLEnumType | ReturnType<TypeBook["value"]> {
    return enumeration === undefined ? this.value(type) : this.enumTable(enumeration);
  }

  orderDirection(): GraphQLEnumType {
    const value = (description: string, descending: boolean, nullsFirst: boolean) => ({
      description,
      ...meaning({ kind: "direction", direction: { descending, nullsFirst } }),
    });
    const named = (name: string) => this.naming.enumValue(name);
    return this.enumeration(this.naming.unaffixed("order_by"), "column ordering options", () => ({
      [named("asc")]: value("in ascending order, nulls last", false, false),
      [named("asc_nulls_first")]: value("in ascending order, nulls first", false, true),
      [named("asc_nulls_last")]: value("in ascending order, nulls last", false, false),
      [named("desc")]: value("in descending order, nulls first", true, true),
      [named("desc_nulls_first")]: value("in descending order, nulls first", true, true),
      [named("desc_nulls_last")]: value("in descending order, nulls last", true, false),
    }));
  }
}

const onSelections = [DirectiveLocation.FIELD, DirectiveLocation.FRAGMENT_SPREAD, DirectiveLocation.INLINE_FRAGMENT];
const condition = { if: { type: new GraphQLNonNull(GraphQLBoolean) } };

/** The directives in introspection, in Hasura's order and with its descriptions. */
export const directives: readonly GraphQLDirective[] = [
  new GraphQLDirective({
    name: "include",
    description: "whether this query should be included",
    locations: onSelections,
    args: condition,
  }),
  new GraphQLDirective({
    name: "skip",
    description: "whether this query should be skipped",
    locations: onSelections,
    args: condition,
  }),
  new GraphQLDirective({
    name: "cached",
    description: "whether this query should be cached (Hasura Cloud only)",
    locations: [DirectiveLocation.QUERY],
    args: {
      ttl: { type: new GraphQLNonNull(GraphQLInt), defaultValue: 60, description: "measured in seconds" },
      refresh: {
        type: new GraphQLNonNull(GraphQLBoolean),
        defaultValue: false,
        description: "refresh the cache entry",
      },
    },
  }),
];

/** Allows several root fields in a subscription, as in Hasura's own tests; hidden from introspection. */
export const multipleRootFields = new GraphQLDirective({
  name: "_multiple_top_level_fields",
  locations: [DirectiveLocation.SUBSCRIPTION],
});
