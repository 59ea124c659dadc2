import type { DeclaredAccess } from "@routeql/metadata/declared/declared";
import { counts, type Finding } from "../findings/finding.ts";
import { amount } from "../findings/print.ts";
import { rowsText } from "./expectations.ts";
import { pageScript } from "./page-script.ts";
import { pageStyle } from "./page-style.ts";
import { escaped } from "./page-text.ts";
import { anchorText, matrix, type PagedSource, tableSection } from "./page-tables.ts";

export interface PageOptions {
  readonly rolesWithoutPermission: readonly string[];
  /** The metadata directory. */
  readonly origin: string;
  /** Number of checks, by kind. */
  readonly verified: Readonly<Record<string, number>>;
  readonly findings: readonly Finding[];
  /** The base revision that `changes` of the sources refer to. */
  readonly base: string | undefined;
}

/** Everything that roles may read, as one page without links to other files: each table of each source by each role. */
export function renderPage(sources: readonly PagedSource[], { rolesWithoutPermission, origin, verified, findings, base }: PageOptions): string {
  const roles = [...new Set([...sources.flatMap(({ access }) => access.roles), ...rolesWithoutPermission])].toSorted();
  const tables = sources.reduce((sum, { access }) => sum + access.tables.size, 0);
  const total = Object.values(verified).reduce((sum, count) => sum + count, 0);
  const problems = findings.filter(counts);
  const options = roles.map((role) => `<option value="${escaped(role)}">${escaped(role)}</option>`).join("");
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Permissions</title>
<style>${pageStyle}</style>
</head>
<body>
<header>
  <h1>Permissions</h1>
  <p>${roles.length} roles, ${tables} tables${sources.length === 1 ? "" : ` in ${sources.length} sources`}, from <code>${escaped(origin)}</code>${base === undefined ? "" : `, compared with <code>${escaped(base)}</code>`}</p>
  ${total === 0 ? "" : `<p class="${problems.length === 0 ? "good" : "bad"}">${total.toLocaleString("en")} checks on real rows: ${problems.length === 0 ? "all as declared" : amount(problems.length, "finding")}</p>`}
</header>
<nav aria-label="Selection">
<input type="search" placeholder="Search tables, columns and filters" aria-label="Search">
<select aria-label="Role"><option value="">All roles</option>${options}</select>
${base === undefined ? "" : `<label><input type="checkbox"> Changes only</label>`}
<output></output>
</nav>
<main>
${findingsSection(problems, "Findings", "findings")}
${findingsSection(findings.filter((finding) => !counts(finding)), "Notes", "notes")}
${changesSection(sources, base)}
${sources.map((source) => sourceSections(source, roles, tables)).join("\n")}
</main>
<footer>A role has no access to an object that is not listed for it: the object is neither in its schema nor in any answer.</footer>
<script>${pageScript}</script>
</body>
</html>
`;
}

/** Tables are closed at first where there are more. */
const mostOpen = 12;

function sourceSections(source: PagedSource, roles: readonly string[], tables: number): string {
  const { access, name } = source;
  const id = name === undefined ? "overview" : `overview-${anchorText(name)}`;
  return `<section aria-labelledby="${id}"><h2 id="${id}">${name === undefined ? "At a glance" : `Source ${escaped(name)}`}</h2>${matrix(source, roles)}</section>
${[...access.tables.values()].map((table) => tableSection(source, roles, table, tables <= mostOpen)).join("\n")}
${functionsSection(access, roles)}${nativeQueriesSection(access, roles)}`;
}

function findingsSection(findings: readonly Finding[], title: string, id: string): string {
  if (findings.length === 0) return "";
  return `<section class="${id}" aria-labelledby="${id}"><h2 id="${id}">${title}</h2><ul>${findings.map(({ source, reason }) => `<li>${source === undefined ? "" : `${escaped(source)}: `}${escaped(reason)}</li>`).join("")}</ul></section>`;
}

function changesSection(sources: readonly PagedSource[], base: string | undefined): string {
  if (base === undefined) return "";
  const changes = sources.flatMap(({ changes: all }) => all).toSorted((one, other) => other.direction.localeCompare(one.direction, "en"));
  const items = changes.map(({ direction, reason }) => `<li class="${direction}"><b>${direction}</b> ${escaped(reason)}</li>`);
  return `<section class="changes" aria-labelledby="changes"><h2 id="changes">Changes since ${escaped(base)}</h2>${items.length === 0 ? "<p>No permission to read changed.</p>" : `<ul>${items.join("")}</ul>`}</section>`;
}

function nativeQueriesSection(access: DeclaredAccess, roles: readonly string[]): string {
  const served = access.nativeQueries.flatMap((query) =>
    roles.flatMap((role) => {
      const rows = access.mayAsk(role, query);
      return rows === undefined ? [] : [`<tr><th scope="row">${escaped(query.field)}</th><td>${escaped(role)}</td><td>${escaped(rowsText(rows))}</td></tr>`];
    }),
  );
  if (served.length === 0) return "";
  return `<section><h2>Native queries</h2><div class="scroll"><table><thead><tr><th scope="col">Root field</th><th scope="col">Role</th><th scope="col">Receives</th></tr></thead><tbody>${served.join("\n")}</tbody></table></div></section>`;
}

function functionsSection(access: DeclaredAccess, roles: readonly string[]): string {
  if (access.functions.length === 0) return "";
  const rows = access.functions.map((called) => {
    const callers = roles.filter((role) => access.permission(role, called.target) !== undefined && access.mayCall(role, called));
    return `<tr><th scope="row">${escaped(called.field)}</th><td>${escaped(access.tables.get(called.target)?.rootField ?? called.target)}</td><td>${callers.map(escaped).join(", ") || "no role"}</td></tr>`;
  });
  return `<section><h2>Functions</h2><div class="scroll"><table><thead><tr><th scope="col">Root field</th><th scope="col">Returns rows of</th><th scope="col">Called by</th></tr></thead><tbody>${rows.join("\n")}</tbody></table></div></section>`;
}
