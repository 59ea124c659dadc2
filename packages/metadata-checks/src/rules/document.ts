import { allRules } from "./list.ts";

const needs: Readonly<Record<string, string>> = {
  database: "needs a database",
  base: "needs a base revision",
  "base and database": "needs a base revision and a database",
};

const capital = (text: string) => `${text[0]?.toUpperCase() ?? ""}${text.slice(1)}`;

const longestLine = 160;

/** Lines of at most 160 characters. */
const wrapped = (text: string) => text.replaceAll(new RegExp(`(.{1,${longestLine}})(?: |$)`, "g"), "$1\n").trimEnd();

/** The list of rules as Markdown; `docs/reference/metadata-rules.md` is written from it. */
export function rulesDocument(): string {
  const entries = allRules.map(({ id, severity, needs: what, finds, why, remedy }) => {
    const condition = what === undefined ? "" : `, ${needs[what] ?? `needs ${what}`}`;
    const lines = [`${capital(severity)}${condition}. Finds ${finds}.`, why, `Remedy: ${remedy}.`].map(wrapped);
    return `## ${id}\n\n${lines.join("\n\n")}\n`;
  });
  return [
    "# Rules of `hasura-checks lint`\n",
    "How to use them: [metadata checks](metadata-checks.md).\n",
    ...entries,
  ].join("\n");
}
