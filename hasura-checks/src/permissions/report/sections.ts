/** Tables of the permissions besides select permissions, for the Markdown document. */
import type { DeclaredAccess } from "../../declared/declared.ts";
import { rowsText, writesOfRole, writeText } from "./expectations.ts";

/** A table of texts in which names stand between backticks. */
export interface Section {
  readonly title: string;
  readonly head: readonly string[];
  readonly rows: readonly (readonly string[])[];
  /** A sentence below the table. */
  readonly note?: string;
}

export const code = (name: string): string => `\`${name}\``;

/** Writes, functions and native queries of some roles; a kind without entries is left out. */
export function sectionsOf(access: DeclaredAccess, roles: readonly string[]): readonly Section[] {
  const sections: readonly Section[] = [
    {
      title: "Writes",
      head: ["May", "Role", "Within"],
      rows: roles.flatMap((role) =>
        writesOfRole(access, role).map(([what, entry]) => [code(what), code(role), writeText(entry)]),
      ),
    },
    {
      title: "Functions",
      head: ["Root field", "Returns rows of", "Called by"],
      rows: access.functions.map((called) => [
        code(called.field),
        code(access.tables.get(called.target)?.rootField ?? called.target),
        roles
          .filter((role) => access.permission(role, called.target) !== undefined && access.mayCall(role, called))
          .map(code)
          .join(", ") || "no role",
      ]),
      note: "A role receives the rows of a function that it may read in the table.",
    },
    {
      title: "Native queries",
      head: ["Root field", "Role", "Receives"],
      rows: access.nativeQueries.flatMap((query) =>
        roles.flatMap((role) => {
          const rows = access.mayAsk(role, query);
          return rows === undefined ? [] : [[code(query.field), code(role), code(rowsText(rows))]];
        }),
      ),
    },
  ];
  return sections.filter(({ rows }) => rows.length > 0);
}
