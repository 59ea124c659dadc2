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

type Types = Readonly<Record<string, GraphQLOutputType>>;
type Arguments = Readonly<Record<string, GraphQLFieldConfigArgumentMap>>;

/** Fields with graphql-js' own resolved values. */
function type(base: GraphQLObjectType, fields: () => Types, args: Arguments = {}): GraphQLObjectType {
  const known = base.getFields();
  return new GraphQLObjectType({
    name: base.name,
    fields: () =>
      Object.fromEntries(
        Object.entries(fields()).map(([name, of]) => [
          name,
          { type: of, args: args[name] ?? {}, resolve: known[name]?.resolve },
        ]),
      ),
  });
}

const string = new GraphQLNonNull(GraphQLString);
const boolean = new GraphQLNonNull(GraphQLBoolean);
const flag = { includeDeprecated: { type: GraphQLBoolean, defaultValue: false } };
const deprecation = { isDeprecated: boolean, deprecationReason: GraphQLString };

/** The introspection types in Hasura's form. @param current adds the fields that graphql-js 16 and 17 request and Hasura lacks */
function introspectionTypes(
  current: boolean,
): readonly [schema: GraphQLObjectType, type: GraphQLObjectType, ...others: GraphQLObjectType[]] {
  const more = (types: Types): Types => (current ? types : {});
  const withFlags = (args: Arguments): Arguments => (current ? args : {});
  const inputValueType = type(__InputValue, () => ({
    name: string,
    description: string,
    type: typeType,
    defaultValue: string,
    ...more(deprecation),
  }));
  const enumValueType = type(__EnumValue, () => ({
    name: string,
    description: string,
    isDeprecated: string,
    deprecationReason: string,
  }));
  const fieldType = type(
    __Field,
    () => ({
      name: string,
      description: string,
      args: inputValueType,
      type: typeType,
      isDeprecated: string,
      deprecationReason: string,
    }),
    withFlags({ args: flag }),
  );
  const directiveType = type(
    __Directive,
    () => ({
      name: string,
      description: string,
      locations: string,
      args: inputValueType,
      isRepeatable: boolean,
      ...more(deprecation),
    }),
    withFlags({ args: flag }),
  );
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
      ...more({ specifiedByURL: GraphQLString, isOneOf: GraphQLBoolean }),
    }),
    { fields: flag, enumValues: flag, ...withFlags({ inputFields: flag }) },
  );
  const schemaType = type(
    __Schema,
    () => ({
      description: string,
      types: typeType,
      queryType: typeType,
      mutationType: typeType,
      subscriptionType: typeType,
      directives: directiveType,
    }),
    withFlags({ directives: flag }),
  );
  return [schemaType, typeType, inputValueType, enumValueType, fieldType, directiveType];
}

/** Hasura describes neither GraphQL's own scalars nor the type kinds. */
const scalars = specifiedScalarTypes.map(({ name }) => new GraphQLScalarType({ name }));
const kinds = new GraphQLEnumType({
  name: __TypeKind.name,
  values: Object.fromEntries(__TypeKind.getValues().map(({ name }) => [name, {}])),
});

const own = new Map<string, GraphQLNamedType>(
  [...introspectionTypes(false), kinds, ...scalars].map((each) => [each.name, each]),
);

/** The type as Hasura shows it; undefined for a type that Hasura lacks. */
export function shownType(known: GraphQLNamedType): GraphQLNamedType | undefined {
  return known.name === "__DirectiveLocation" ? undefined : (own.get(known.name) ?? known);
}

const field = (base: GraphQLField<unknown, unknown>, of: GraphQLOutputType): GraphQLField<unknown, unknown> => ({
  ...base,
  type: of,
});

const [schemaType, typeType] = introspectionTypes(true);
export const schemaField = field(SchemaMetaFieldDef, schemaType);
export const typeField = field(TypeMetaFieldDef, typeType);
