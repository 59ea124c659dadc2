import type { PlacedProblem as Problem } from "../metadata/project.ts";
import { nearest } from "../cli/nearest.ts";
import type { Rule } from "./rule.ts";

/** Rules about files that cannot be read as metadata; their findings come with file and path from the reader itself. */
type ShapeRule = Pick<Rule, "id" | "severity" | "finds" | "why" | "remedy"> & {
  concerns(problem: Problem): boolean;
  /** Which of the problems make a finding, and what to do about it where that is not the rule's remedy. */
  listed(problems: readonly Problem[]): readonly (Problem & Partial<Pick<Rule, "remedy" | "severity">>)[];
};

export const metadataShape: ShapeRule = {
  id: "metadata-shape",
  severity: "error",
  finds: "a key that metadata do not have (a warning where it resembles no known key), a value of the wrong form, a file that is missing or cannot be read",
  why: "Hasura passes over a key that it does not know: `select_permission` instead of `select_permissions` grants nothing and says nothing.",
  remedy: "correct it; the form of every key is that of Hasura's metadata v3",
  concerns: ({ kind }) => kind === "invalid",
  listed: (problems) =>
    problems.map((problem) => {
      if (problem.passedOver !== true) return problem;
      const key = problem.at.at(-1);
      const meant = typeof key === "string" ? nearest(key, metadataKeys) : undefined;
      return meant === undefined ? { ...problem, severity: "warning" } : { ...problem, reason: `${problem.reason}; did you mean ${meant}?` };
    }),
};

/** Keys of metadata in which a misspelling takes a permission, a filter or a name away. */
const metadataKeys = [
  ...["select", "insert", "update", "delete"].map((verb) => `${verb}_permissions`),
  ...["object", "array", "remote"].map((kind) => `${kind}_relationships`),
  "permission", "role", "columns", "filter", "check", "set", "limit", "backend_only", "allow_aggregations", "computed_fields", "query_root_fields", "subscription_root_fields",
  "table", "is_enum", "configuration", "custom_name", "custom_root_fields", "column_config", "custom_column_names", "using", "foreign_key_constraint_on", "manual_configuration", "remote_table", "column_mapping",
  "function", "session_argument", "exposed_as", "permissions", "sources", "tables", "functions", "role_name", "role_set",
];

export const notExamined: ShapeRule = {
  id: "not-examined",
  severity: "note",
  finds: "a feature of Hasura that these tools leave unexamined",
  why: "What is not examined is not vouched for.",
  remedy: "nothing, if it is tested elsewhere",
  concerns: ({ kind }) => kind === "unsupported",
  // Hundreds of tables may have the same feature: one note of each is read, and hundreds hide the rest.
  listed: (problems) => [...Map.groupBy(problems, ({ reason }) => reason).values()].flatMap(([first, ...others]) => {
    if (first === undefined) return [];
    // After a semicolon it says what the engine has instead.
    const feature = first.reason.replace(/^Hasura knows this, but this engine does not serve ([^;]*).*$/, "not examined: $1");
    // Neither the number of places nor where the first is tells one feature from another.
    return [{ ...first, path: "", reason: feature, ...(others.length === 0 ? {} : { remedy: `nothing, if it is tested elsewhere; this is the first of ${others.length + 1} places` }) }];
  }),
};
