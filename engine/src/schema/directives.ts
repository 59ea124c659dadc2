import { DirectiveLocation, GraphQLBoolean, GraphQLDirective, GraphQLInt, GraphQLNonNull } from "graphql";

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
