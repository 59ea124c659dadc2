import { listedQueryProblem } from "@routeql/engine/execution/listed-query";
import type { Examined, Found, Rule } from "./rule.ts";

export const queryDocument: Rule = {
  id: "query-document",
  severity: "error",
  finds:
    "a query of a collection that is not one GraphQL operation or, with a database, selects an unknown field or has a variable of an unknown type",
  why: "Hasura refuses the whole metadata for a syntax error. It marks the query as inconsistent for the other reasons.",
  remedy: "correct the query, or remove it from the collection",
  find: (examined) => (examined.state === undefined ? alone(examined) : onDatabase(examined.state)),
};

export const isOfCollection = ({ type }: { readonly type: string }): boolean => type === "query_collection";

const onDatabase = ({ inconsistencies }: NonNullable<Examined["state"]>): readonly Found[] =>
  inconsistencies
    .filter(isOfCollection)
    .map(({ at, name, reason }) => ({ at, name, reason: `the query ${name} is invalid: ${reason}` }));

function alone({ metadata }: Examined): readonly Found[] {
  return metadata.query_collections.flatMap(({ name: collection, definition }, index) =>
    definition.queries.flatMap(({ name: query, query: text }, position): readonly Found[] => {
      const reason = listedQueryProblem(text);
      if (reason === undefined) return [];
      const name = `${collection}.${query}`;
      const at = ["query_collections", index, "definition", "queries", position, "query"];
      return [{ at, name, reason: `the query ${name} is invalid: ${reason}` }];
    }),
  );
}
