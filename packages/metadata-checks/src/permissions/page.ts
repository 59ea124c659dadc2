import type { DeclaredAccess, DeclaredPermission, DeclaredTable } from "@routeql/metadata/declared/declared";
import { filterSql, filterWords } from "@routeql/metadata/declared/filter-text";
import { operations } from "@routeql/metadata/declared/operations";
import type { Finding } from "../findings/finding.ts";
import { rowsText } from "./expectations.ts";
import type { DocumentedSource } from "./markdown.ts";
import { told } from "./told.ts";
import { pageScript, pageStyle } from "./page-assets.ts";

export interface PageOptions {
  readonly rolesWithoutPermission: readonly string[];
  /** The metadata directory. */
  readonly origin: string;
  /** What was looked at, by kind. */
  readonly verified: Readonly<Record<string, number>>;
  readonly findings: readonly Finding[];
}

const escaped = (text: string) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");
/** Words with names between backticks. */
const marked = (words: string) => escaped(words).replaceAll(/`([^`]*)`/g, "<code>$1</code>");

/** Everything that roles may read, as a page that needs nothing else: each table of each source by each role. */
export function renderPage(sources: readonly DocumentedSource[], { rolesWithoutPermission, origin, verified, findings }: PageOptions): string {
  const roles = [...new Set([...sources.flatMap(({ access }) => access.roles), ...rolesWithoutPermission])].toSorted();
  const tables = sources.reduce((sum, { access }) => sum + access.tables.size, 0);
  const total = Object.values(verified).reduce((sum, count) => sum + count, 0);
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
  <p>${roles.length} roles, ${tables} tables${sources.length === 1 ? "" : ` in ${sources.length} sources`}, from <code>${escaped(origin)}</code></p>
  ${total === 0 ? "" : `<p class="${findings.length === 0 ? "good" : "bad"}">${total.toLocaleString("en")} checks on real rows: ${findings.length === 0 ? "all as declared" : `${findings.length} not as declared`}</p>`}
</header>
<nav aria-label="Roles">${["every role", ...roles].map((role, index) => `<button type="button" data-role="${index === 0 ? "" : escaped(role)}" aria-pressed="${index === 0}">${escaped(role)}</button>`).join("")}</nav>
<main>
${findingsSection(findings)}
${sources.map((source) => sourceSections(source, roles)).join("\n")}
</main>
<footer>What is not granted does not exist for the role: it is neither in its schema nor in any answer, and an error about it reads like one about an unknown name.</footer>
<script>${pageScript}</script>
</body>
</html>
`;
}

function sourceSections(source: DocumentedSource, roles: readonly string[]): string {
  const { access, name } = source;
  const id = name === undefined ? "overview" : `overview-${anchorText(name)}`;
  return `<section aria-labelledby="${id}"><h2 id="${id}">${name === undefined ? "At a glance" : `Source ${escaped(name)}`}</h2>${overview(source, roles)}</section>
${[...access.tables.values()].map((table) => tableSection(source, roles, table)).join("\n")}
${functionsSection(access, roles)}${nativeQueriesSection(access, roles)}`;
}

function findingsSection(findings: readonly Finding[]): string {
  if (findings.length === 0) return "";
  return `<section class="findings" aria-labelledby="findings"><h2 id="findings">Not as declared</h2><ul>${findings.map(({ source, reason }) => `<li>${source === undefined ? "" : `${escaped(source)}: `}${escaped(reason)}</li>`).join("")}</ul></section>`;
}

const limitOf = ({ limit }: DeclaredPermission) => (limit === undefined ? "no limit" : `${limit.toLocaleString("en")} rows`);
const anchorText = (text: string) => text.replaceAll(/[^\w-]/g, "-");
const anchor = ({ name }: DocumentedSource, table: DeclaredTable) => `table-${anchorText(name === undefined ? table.key : `${name}.${table.key}`)}`;
const isOpen = ({ filter }: DeclaredPermission) => Object.keys(filter).length === 0;

/** Roles across, tables down: how much of the columns, and of the rows. */
function overview(source: DocumentedSource, roles: readonly string[]): string {
  const { access } = source;
  const cell = (table: DeclaredTable, role: string) => {
    const permission = access.permission(role, table.key);
    if (permission === undefined) return `<td data-role="${escaped(role)}" class="none"><span title="nothing">–</span></td>`;
    const share = `${permission.columns.length}/${table.fields.size}`;
    const whole = permission.columns.length === table.fields.size && isOpen(permission);
    return `<td data-role="${escaped(role)}" class="${whole ? "all" : "some"}"><b>${share}</b> columns<br>${isOpen(permission) ? "every row" : "filtered"}<br><small>${limitOf(permission)}${permission.aggregates ? ", aggregates" : ""}</small></td>`;
  };
  return `<div class="scroll"><table><thead><tr><th scope="col">Table</th>${roles.map((role) => `<th scope="col" data-role="${escaped(role)}">${escaped(role)}</th>`).join("")}</tr></thead><tbody>
${[...access.tables.values()].map((table) => `<tr><th scope="row"><a href="#${anchor(source, table)}">${escaped(table.rootField)}</a></th>${roles.map((role) => cell(table, role)).join("")}</tr>`).join("\n")}
</tbody></table></div>`;
}

function tableSection(source: DocumentedSource, roles: readonly string[], table: DeclaredTable): string {
  const { access } = source;
  const granted = roles.flatMap((role) => access.permission(role, table.key) ?? []);
  const heading = `<h2>${escaped(table.rootField)} <small>${escaped(table.key)}${table.isView ? ", a view" : ""}</small></h2>`;
  if (granted.length === 0) return `<section id="${anchor(source, table)}">${heading}<p>No role reads it; filters may go through it.</p></section>`;
  const columns = [...table.fields].map(([column, field]) => {
    const cells = granted.map((permission) => {
      const readable = permission.columns.includes(column);
      const state = !readable ? "no" : permission.cells.has(column) ? "part" : "yes";
      const title = { no: "hidden", part: "in some rows", yes: "readable" }[state];
      return `<td data-role="${escaped(permission.role)}" class="${state}"><span title="${title}">${{ no: "–", part: "◐", yes: "●" }[state]}</span></td>`;
    });
    return `<tr><th scope="row">${escaped(field)}</th>${cells.join("")}</tr>`;
  });
  const head = granted.map(({ role }) => `<th scope="col" data-role="${escaped(role)}">${escaped(role)}</th>`).join("");
  return `<section id="${anchor(source, table)}">${heading}
<div class="cards">${granted.map((permission) => card(access, table, permission)).join("")}</div>
<details open><summary>Columns</summary><div class="scroll"><table class="columns"><thead><tr><th scope="col">Column</th>${head}</tr></thead><tbody>${columns.join("\n")}</tbody></table></div></details>
</section>`;
}

function card(access: DeclaredAccess, table: DeclaredTable, permission: DeclaredPermission): string {
  const next = table.relationships.filter(({ target }) => access.permission(permission.role, target) !== undefined).map(({ name }) => `<code>${escaped(name)}</code>`);
  const sql = told(() => filterSql(access, table.key, permission.filter, "it", (name) => `session('${name}')`));
  const cells = [...permission.cells].map(([column, filter]) => `<li><code>${escaped(table.fields.get(column) ?? column)}</code> only where ${marked(told(() => filterWords(access, table.key, filter)))}</li>`);
  return `<article data-role="${escaped(permission.role)}"><h3>${escaped(permission.role)}</h3>
<dl><dt>Rows</dt><dd>${marked(told(() => filterWords(access, table.key, permission.filter)))}</dd>
<dt>At once</dt><dd>${limitOf(permission)}</dd>
<dt>By</dt><dd>${operations.filter((operation) => permission.operations.has(operation)).map((operation) => `<span class="chip">${operation}</span>`).join(" ")}</dd>
${next.length === 0 ? "" : `<dt>Goes on to</dt><dd>${next.join(", ")}</dd>`}</dl>
${cells.length === 0 ? "" : `<ul>${cells.join("")}</ul>`}
${isOpen(permission) ? "" : `<details><summary>In SQL</summary><pre>select it.* from ${escaped(table.key)} it\nwhere ${escaped(sql.replaceAll(" and exists (", "\n  and exists ("))}</pre></details>`}</article>`;
}

function nativeQueriesSection(access: DeclaredAccess, roles: readonly string[]): string {
  const served = access.nativeQueries.flatMap((query) =>
    roles.flatMap((role) => {
      const rows = access.mayAsk(role, query);
      return rows === undefined ? [] : [`<tr><th scope="row">${escaped(query.field)}</th><td>${escaped(role)}</td><td>${escaped(rowsText(rows))}</td></tr>`];
    }),
  );
  if (served.length === 0) return "";
  return `<section><h2>Native queries</h2><div class="scroll"><table><thead><tr><th scope="col">Root field</th><th scope="col">Role</th><th scope="col">Is served</th></tr></thead><tbody>${served.join("\n")}</tbody></table></div></section>`;
}

function functionsSection(access: DeclaredAccess, roles: readonly string[]): string {
  if (access.functions.length === 0) return "";
  const rows = access.functions.map((called) => {
    const callers = roles.filter((role) => access.permission(role, called.target) !== undefined && access.mayCall(role, called));
    return `<tr><th scope="row">${escaped(called.field)}</th><td>${escaped(access.tables.get(called.target)?.rootField ?? called.target)}</td><td>${callers.map(escaped).join(", ") || "nobody"}</td></tr>`;
  });
  return `<section><h2>Functions</h2><div class="scroll"><table><thead><tr><th scope="col">Root field</th><th scope="col">Gives rows of</th><th scope="col">Called by</th></tr></thead><tbody>${rows.join("\n")}</tbody></table></div></section>`;
}
