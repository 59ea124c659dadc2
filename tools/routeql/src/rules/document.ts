import { allRules } from "./list.ts";

/** The list of rules as Markdown; `docs/metadata-checks.md` holds it too. */
export function rulesDocument(): string {
  const entries = allRules.map(({ id, severity, needs, finds, why, remedy }) =>
    [`### ${id}`, "", `${severity[0]?.toUpperCase() ?? ""}${severity.slice(1)}${needs === undefined ? "" : `; needs a ${needs}`.replace("a sessionVariables", "sessionVariables")}. Finds ${finds}.`, "", `${why} Remedy: ${remedy}.`, ""].join("\n"),
  );
  return entries.join("\n");
}
