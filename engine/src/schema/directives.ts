import { DirectiveLocation, GraphQLBoolean, GraphQLDirective, GraphQLInt, GraphQLNonNull } from "graphql";

const onSelections = [DirectiveLocation.FIELD, DirectiveLocation.FRAGMENT_SPREAD, DirectiveLocation.INLINE_FRAGMENT];
const condition = { if: { type: new GraphQLNonNull(GraphQLBoolean) } };

/** What introspection tells of, in Hasura's order and words. */
export const directives: readonly GraphQLDirective[] = [
  new GraphQLDirective({ name: "include", description: "whether this query should be included", locations: onSelections, args: condition }),
  new GraphQLDirective({ name: "skip", description: "whether this query should be skipped", locations: onSelections, args: condition }),
  new GraphQLDirective({
    name: "cached",
    description: "whether this query should be cached (Hasura Cloud only)",
    locations: [DirectiveLocation.QUERY],
    args: {
      ttl: { type: new GraphQLNonNull(GraphQLInt), defaultValue: 60, description: "measured in seconds" },
      refresh: { type: new GraphQLNonNull(GraphQLBoolean), defaultValue: false, description: "refresh the cache entry" },
    },
  }),
];

/** Lets a subscription select several root fields, as Hasura's own tests do; introspection does not tell of it. */
export const multipleRootFields = new GraphQLDirective({ name: "_multiple_top_level_fields", locations: [DirectiveLocation.SUBSCRIPTION] });
