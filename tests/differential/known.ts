import type { Call } from "./pair.ts";

/** A difference between both engines that stays, with its reason. */
export interface Known {
  readonly name: string;
  readonly reason: string;
  matches(pair: { readonly call: Call; readonly hasura: string; readonly embedded: string }): boolean;
}

const isData = (answer: string): boolean => /^200 [^\n]*\n\{"data":/.test(answer);

export const known: readonly Known[] = [
  {
    name: "empty aggregates",
    reason: "Hasura's SQL for them is invalid or has no rows. The embedded engine answers.",
    matches: ({ call, hasura, embedded }) =>
      hasura.includes('"message":"database query error"') &&
      isData(embedded) &&
      /_aggregate|columns: \[\]/.test(call.query),
  },
  {
    name: "several keys in one object of `order_by`",
    reason: "The embedded engine applies them in the order of the query, Hasura in an order of its own.",
    matches: ({ call, hasura, embedded }) =>
      isData(hasura) &&
      isData(embedded) &&
      /"?order_by"?:.*\{[^{}]*\w+"?: (?:\w+|"\w+"|\{[^{}]*\}), ?"?\w+"?: /.test(
        call.query + JSON.stringify(call.variables ?? {}),
      ),
  },
  {
    name: "session variables of a mutation without rows to change",
    reason: "Hasura requires those of the permissions even then.",
    matches: ({ call, hasura, embedded }) =>
      call.query.startsWith("mutation") &&
      hasura.includes('"message":"missing session variable: ') &&
      /^200 [^\n]*\n\{"data":(?:[{}[\],:0]|null|"__typename":"\w+"|"\w+":|"number":"0")*$/.test(embedded),
  },
  {
    name: "mutation types",
    reason: "The embedded engine serves them only where it serves mutations.",
    matches: ({ call, hasura }) => call.query.includes("mutationType") && hasura.includes('"mutation_root"'),
  },
];

/** Facts of a schema that differ, with the reason. */
export const knownFacts: readonly (readonly [RegExp, string])[] = [
  [
    / limit: Int "limit the number of rows returned/,
    "the embedded engine adds the limit of the role to the description",
  ],
  [
    /_constraint\.\w+ "unique or primary key constraint on columns /,
    "Hasura lists the columns of a constraint in an order of its own",
  ],
  [/jsonb_comparison_exp\._jsonb_path_(?:exists|match)/, "Hasura 2.43 does not have these operators"],
  [
    /^only \w+: (?:query|subscription)_root\.\w+: \[\w+!\]! "(?:An array relationship|fetch data)/,
    "Hasura describes a root field named like a relationship as the relationship",
  ],
];
