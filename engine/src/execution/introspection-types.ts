import {
  __Directive,
  __EnumValue,
  __Field,
  __InputValue,
  __Schema,
  __Type,
  __TypeKind,
  GraphQLBoolean,
  GraphQLEnumType,
  GraphQLNonNull,
  GraphQLObjectType,
  GraphQLScalarType,
  GraphQLString,
  specifiedScalarTypes,
  TypeMetaFieldDef,
  SchemaMetaFieldDef,
  type GraphQLField,
  type GraphQLFieldConfigArgumentMap,
  type GraphQLNamedType,
  type GraphQLOutputType,
} from "graphql";

/**
 * The types of introspection as Hasura has them, and tells of them: fewer fields than graphql-js knows, strings where the values
 * are something else, and no lists. What stands in the fields is graphql-js' own.
 */
function type(base: GraphQLObjectType, fields: () => Readonly<Record<string, GraphQLOutputType>>, args: Readonly<Record<string, GraphQLFieldConfigArgumentMap>> = {}): GraphQLObjectType {
  const known = base.getFields();
  return new GraphQLObjectType({
    name: base.name,
    fields: () => Object.fromEntries(Object.entries(fields()).map(([name, of]) => [name, { type: of, args: args[name] ?? {}, resolve: known[name]?.resolve }])),
  });
}

const string = new GraphQLNonNull(GraphQLString);
const flag = { includeDeprecated: { type: GraphQLBoolean, defaultValue: false } };

const inputValueType = type(__InputValue, () => ({ name: string, description: string, type: typeType, defaultValue: string }));
const enumValueType = type(__EnumValue, () => ({ name: string, description: string, isDeprecated: string, deprecationReason: string }));
const fieldType = type(__Field, () => ({ name: string, description: string, args: inputValueType, type: typeType, isDeprecated: string, deprecationReason: string }));
const directiveType = type(__Directive, () => ({ name: string, description: string, locations: string, args: inputValueType, isRepeatable: new GraphQLNonNull(GraphQLBoolean) }));
const typeType: GraphQLObjectType = type(
  __Type,
  () => ({
    kind: new GraphQLNonNull(__TypeKind),
    name: string,
    description: string,
    fields: fieldType,
    interfaces: typeType,
    possibleTypes: typeType,
    enumValues: enumValueType,
    inputFields: inputValueType,
    ofType: typeType,
  }),
  { fields: flag, enumValues: flag },
);
const schemaType = type(__Schema, () => ({ description: string, types: typeType, queryType: typeType, mutationType: typeType, subscriptionType: typeType, directives: directiveType }));

/** Hasura describes neither GraphQL's own scalars nor the kinds of types. */
const scalars = specifiedScalarTypes.map(({ name }) => new GraphQLScalarType({ name }));
const kinds = new GraphQLEnumType({ name: __TypeKind.name, values: Object.fromEntries(__TypeKind.getValues().map(({ name }) => [name, {}])) });

const own = new Map<string, GraphQLNamedType>([inputValueType, enumValueType, fieldType, directiveType, typeType, schemaType, kinds, ...scalars].map((each) => [each.name, each]));

/** The type as Hasura shows it; undefined for one that it does not have. */
export function shownType(known: GraphQLNamedType): GraphQLNamedType | undefined {
  return known.name === "__DirectiveLocation" ? undefined : (own.get(known.name) ?? known);
}

const field = (base: GraphQLField<unknown, unknown>, of: GraphQLOutputType): GraphQLField<unknown, unknown> => ({ ...base, type: of });

export const schemaField = field(SchemaMetaFieldDef, schemaType);
export const typeField = field(TypeMetaFieldDef, typeType);
