import { nearest } from "@routeql/metadata/nearest";
import type { PlacedProblem as Problem } from "../metadata/project.ts";
import type { Rule } from "./rule.ts";

/** Rules about files that cannot be read as metadata. The reader supplies their file and path. */
type ShapeRule = Pick<Rule, "id" | "severity" | "finds" | "why" | "remedy"> & {
  concerns(problem: Problem): boolean;
  /** The problems that are findings of the rule, with their own remedies. */
  listed(problems: readonly Problem[]): readonly (Problem & Partial<Pick<Rule, "remedy" | "severity">>)[];
};

export const metadataShape: ShapeRule = {
  id: "metadata-shape",
  severity: "error",
  finds:
    "a key that the metadata format does not have (a warning where it resembles no known key, or belongs to another place), a value of the wrong form, a file that is missing or cannot be read",
  why: "Hasura ignores an unknown key without a message: `select_permission` instead of `select_permissions` grants nothing.",
  remedy: "correct the key or the value as the reference of Hasura metadata v3 describes it",
  concerns: ({ kind }) => kind === "invalid",
  listed: (problems) =>
    problems.map((problem) => {
      if (problem.passedOver !== true) return problem;
      const key = problem.at.at(-1);
      const meant = typeof key === "string" ? nearest(key, metadataKeys) : undefined;
      if (meant === key) return { ...problem, severity: "warning", reason: `${problem.reason} at this place` };
      return meant === undefined
        ? { ...problem, severity: "warning" }
        : { ...problem, reason: `${problem.reason}; did you mean ${meant}?` };
    }),
};

/** Keys whose misspelling removes a permission, a filter or a name. */
const metadataKeys = [
  ...["select", "insert", "update", "delete"].map((verb) => `${verb}_permissions`),
  ...["object", "array", "remote"].map((kind) => `${kind}_relationships`),
  "permission",
  "role",
  "columns",
  "filter",
  "check",
  "set",
  "limit",
  "backend_only",
  "allow_aggregations",
  "computed_fields",
  "query_root_fields",
  "subscription_root_fields",
  "table",
  "is_enum",
  "configuration",
  "custom_name",
  "custom_root_fields",
  "column_config",
  "custom_column_names",
  "using",
  "foreign_key_constraint_on",
  "manual_configuration",
  "remote_table",
  "column_mapping",
  "function",
  "session_argument",
  "exposed_as",
  "permissions",
  "sources",
  "tables",
  "functions",
  "role_name",
  "role_set",
];

export const notExamined: ShapeRule = {
  id: "not-examined",
  severity: "note",
  finds: "a feature of Hasura that these tools leave unexamined",
  why: "The checks give no result for this feature.",
  remedy: "nothing, if it is tested elsewhere",
  concerns: ({ kind }) => kind === "unsupported",
  // Hundreds of tables can have the same feature, so there is one note for each feature.
  listed: (problems) =>
    [...Map.groupBy(problems, ({ reason }) => reason).values()].flatMap(([first, ...others]) => {
      if (first === undefined) return [];
      // The text after a semicolon names the alternative of the engine.
      const feature = first.reason.replace(
        /^Hasura knows this, but this engine does not serve ([^;]*).*$/,
        "not examined: $1",
      );
      // The number and the first of the places do not identify a feature.
      return [
        {
          ...first,
          path: "",
          reason: feature,
          ...(others.length === 0
            ? {}
            : { remedy: `nothing, if it is tested elsewhere; this is the first of ${others.length + 1} places` }),
        },
      ];
    }),
};

/** Its findings have no place in the merged metadata; `shapeFindings` uses their files. */
export const fileNotIncluded: Pick<Rule, "id" | "severity" | "finds" | "why" | "remedy"> = {
  id: "file-not-included",
  severity: "warning",
  finds: "a file below databases/ that nothing includes",
  why: "Hasura never reads the file, so changes to it have no effect.",
  remedy: "include it in tables.yaml or functions.yaml, or delete it",
};
