import { allRules } from "./list.ts";

const needs: Readonly<Record<string, string>> = { database: "needs a database", base: "needs a base revision", "base and database": "needs a base revision and a database" };

/** The list of rules as Markdown; `docs/reference/metadata-rules.md` is written from it. */
export function rulesDocument(): string {
  const entries = allRules.map(({ id, severity, needs: what, finds, why, remedy }) => {
    const condition = what === undefined ? "" : `, ${needs[what] ?? `needs ${what}`}`;
    return `## ${id}\n\n${severity[0]?.toUpperCase() ?? ""}${severity.slice(1)}${condition}. Finds ${finds}.\n\n${why} Remedy: ${remedy}.\n`;
  });
  return ["# Rules of `hasura-checks lint`\n", "How to use them: [metadata checks](metadata-checks.md).\n", ...entries].join("\n");
}
