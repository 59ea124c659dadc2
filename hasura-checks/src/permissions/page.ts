import { counts, type Finding } from "../findings/finding.ts";
import { amount } from "../findings/print.ts";
import { anchorText, escaped, marked, matrix, type PagedSource, tableSection } from "./page-tables.ts";
import { code, type Section, sectionsOf } from "./sections.ts";

/** Filters the page by text, role and change; opens the table that a link names. */
const pageScript = `
const [search, role, changed, count] = ["input[type=search]", "select", "input[type=checkbox]", "output"].map((what) => document.querySelector("nav " + what));
const sections = [...document.querySelectorAll("section.table")];
const rows = new Map([...document.querySelectorAll("tr[data-table]")].map((row) => [row.dataset.table, row]));
const texts = new Map(sections.map((section) => [section, section.textContent.toLowerCase()]));
function apply() {
  const words = search.value.toLowerCase().split(/\\s+/).filter((word) => word !== "");
  let shown = 0;
  for (const section of sections) {
    const fits = words.every((word) => texts.get(section).includes(word)) && !(changed?.checked && !("changed" in section.dataset));
    section.hidden = !fits;
    const row = rows.get(section.id);
    if (row !== undefined) row.hidden = !fits;
    if (fits) shown += 1;
  }
  for (const item of document.querySelectorAll("main [data-role]")) item.hidden = role.value !== "" && item.dataset.role !== role.value;
  count.textContent = shown + " of " + sections.length + " tables";
}
for (const control of [search, role, changed]) control?.addEventListener("input", apply);
function open() {
  const section = location.hash === "" ? null : document.getElementById(decodeURIComponent(location.hash.slice(1)));
  const details = section?.querySelector("details");
  if (details) details.open = true;
  section?.scrollIntoView();
}
addEventListener("hashchange", open);
apply();
open();
`;

const pageStyle = `
:root { color-scheme: light dark; --ink: light-dark(#1c2330, #e6e9ef); --dim: light-dark(#5b6577, #9aa4b5); --paper: light-dark(#f6f7f9, #12161d);
  --card: light-dark(#fff, #1a2029); --line: light-dark(#dde1e8, #2c3440); --accent: light-dark(#1f5fbf, #7db1ff);
  --good: light-dark(#17703a, #6fd39a); --bad: light-dark(#b3261e, #ff9b93); --some: light-dark(#fdf3dc, #352c16); --all: light-dark(#e3f4e8, #16301f); }
* { box-sizing: border-box; }
html { scroll-padding-top: 4.5rem; }
body { margin: 0; font: 15px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--paper); }
header, main, nav, footer { max-width: 84rem; margin: 0 auto; padding: 0 1.5rem; }
header { padding-top: 1.5rem; } h1 { margin: 0; font-size: 1.9rem; letter-spacing: -0.02em; } header p { margin: 0.2rem 0; color: var(--dim); overflow-wrap: anywhere; }
header .good { color: var(--good); font-weight: 600; } header .bad { color: var(--bad); font-weight: 600; }
nav { position: sticky; top: 0; z-index: 3; display: flex; flex-wrap: wrap; align-items: center; gap: 0.6rem; padding-top: 0.7rem; padding-bottom: 0.7rem; background: var(--paper); }
input[type="search"], select { font: inherit; color: var(--ink); padding: 0.3rem 0.7rem; border: 1px solid var(--line); border-radius: 8px; background: var(--card); min-width: 0; }
input[type="search"] { flex: 1 1 12rem; max-width: 26rem; } nav output { color: var(--dim); font-size: 0.85rem; } nav label { white-space: nowrap; }
section { margin: 0.9rem 0; } h2 { display: inline; font-size: 1.2rem; margin: 0; overflow-wrap: anywhere; } h2 small { font-weight: 400; font-size: 0.85rem; color: var(--dim); }
section > h2 { display: block; margin: 1.2rem 0 0.6rem; } section.table > details > summary { color: var(--ink); padding: 0.35rem 0; }
.findings, .notes, section.changes { padding: 0.2rem 1.2rem 0.6rem; border: 1px solid var(--line); border-radius: 10px; background: var(--card); } .findings { border-color: var(--bad); } .findings h2 { color: var(--bad); }
.findings li, .notes li, .changes li { overflow-wrap: anywhere; } section.changes ul { max-height: 20rem; overflow-y: auto; }
.wider { color: var(--bad); font-size: 0.85rem; } .narrower { color: var(--good); font-size: 0.85rem; } td .wider, td .narrower { white-space: nowrap; }
td.changed, article.changed { color: inherit; font-size: inherit; } td.changed.wider { box-shadow: inset 0 0 0 2px var(--bad); } td.changed.narrower { box-shadow: inset 0 0 0 2px var(--good); }
article.changed.wider { border: 2px solid var(--bad); } article.changed.narrower { border: 2px solid var(--good); }
.scroll { overflow-x: auto; border: 1px solid var(--line); border-radius: 10px; background: var(--card); } .matrix { max-height: 75vh; overflow: auto; }
table { width: 100%; border-collapse: separate; border-spacing: 0; } th, td { padding: 0.45rem 0.8rem; text-align: left; vertical-align: top; border-bottom: 1px solid var(--line); }
.matrix td { min-width: 9.5rem; font-size: 0.9rem; } .matrix thead th { position: sticky; top: 0; z-index: 2; background: var(--card); }
.scroll th:first-child { position: sticky; left: 0; z-index: 1; background: var(--card); min-width: 7rem; max-width: 15rem; overflow-wrap: anywhere; } .matrix thead th:first-child { z-index: 3; }
tbody tr:last-child > * { border-bottom: 0; } thead th { font-size: 0.85rem; color: var(--dim); } tbody th { font-weight: 600; }
td.some { background: var(--some); } td.all { background: var(--all); } td.none, td.no { color: var(--dim); } small { color: var(--dim); }
.columns td, .columns thead th:not(:first-child) { text-align: center; } .columns td.yes { color: var(--good); } .columns th, .columns td { padding-top: 0.15rem; padding-bottom: 0.15rem; }
.columns tbody th { font: 13px/1.6 ui-monospace, monospace; } a { color: var(--accent); text-decoration: none; } a:hover { text-decoration: underline; }
.cards { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(17rem, 100%), 1fr)); gap: 0.8rem; margin: 0.4rem 0 0.8rem; }
article { padding: 0.8rem 1rem; border: 1px solid var(--line); border-radius: 10px; background: var(--card); min-width: 0; } h3 { margin: 0 0 0.4rem; font-size: 1rem; overflow-wrap: anywhere; }
dl { display: grid; grid-template-columns: auto 1fr; gap: 0.25rem 0.8rem; margin: 0; } dt { color: var(--dim); font-size: 0.85rem; } dd { margin: 0; overflow-wrap: anywhere; }
code { font: 13px ui-monospace, monospace; } .chip { display: inline-block; padding: 0 0.45rem; border: 1px solid var(--line); border-radius: 6px; font-size: 0.8rem; white-space: nowrap; }
summary { cursor: pointer; color: var(--dim); font-size: 0.9rem; padding: 0.3rem 0; } pre { overflow-x: auto; font: 12px/1.5 ui-monospace, monospace; white-space: pre-wrap; margin: 0.3rem 0 0; overflow-wrap: anywhere; }
article ul { margin: 0.3rem 0 0.5rem; padding-left: 1.1rem; } footer { padding-top: 1rem; padding-bottom: 3rem; color: var(--dim); } [hidden] { display: none !important; }
@media (max-width: 40rem) { header, main, nav, footer { padding-left: 0.8rem; padding-right: 0.8rem; } .scroll th:first-child { max-width: 8.5rem; } th, td { padding: 0.35rem 0.5rem; } .matrix td { min-width: 8.5rem; } html { scroll-padding-top: 6.5rem; } }
@media print { nav { display: none; } .matrix { max-height: none; } section { break-inside: avoid; } }
`;

export interface PageOptions {
  readonly rolesWithoutPermission: readonly string[];
  /** The metadata directory. */
  readonly origin: string;
  readonly verified: Readonly<Record<string, number>>;
  readonly findings: readonly Finding[];
  /** The base revision that `changes` of the sources refer to. */
  readonly base: string | undefined;
}

/** Everything that roles may read, as one page without links to other files: each table of each source by each role. */
export function renderPage(
  sources: readonly PagedSource[],
  { rolesWithoutPermission, origin, verified, findings, base }: PageOptions,
): string {
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
${findingsSection(
  findings.filter((finding) => !counts(finding)),
  "Notes",
  "notes",
)}
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
${sectionsOf(access, roles)
  .map((section) => sectionHtml(section, roles))
  .join("")}`;
}

/** A table of the page. A row that names a role is hidden with the role. */
function sectionHtml({ title, head, rows, note }: Section, roles: readonly string[]): string {
  const lines = rows.map((cells) => {
    const role = roles.find((name) => cells[1] === code(name));
    const [first = "", ...others] = cells.map(marked);
    return `<tr${role === undefined ? "" : ` data-role="${escaped(role)}"`}><th scope="row">${first}</th>${others.map((cell) => `<td>${cell}</td>`).join("")}</tr>`;
  });
  const heads = head.map((cell) => `<th scope="col">${cell}</th>`).join("");
  return `<section><h2>${title}</h2><div class="scroll"><table><thead><tr>${heads}</tr></thead><tbody>${lines.join("\n")}</tbody></table></div>${note === undefined ? "" : `<p>${note}</p>`}</section>`;
}

function findingsSection(findings: readonly Finding[], title: string, id: string): string {
  if (findings.length === 0) return "";
  return `<section class="${id}" aria-labelledby="${id}"><h2 id="${id}">${title}</h2><ul>${findings.map(({ source, reason }) => `<li>${source === undefined ? "" : `${escaped(source)}: `}${escaped(reason)}</li>`).join("")}</ul></section>`;
}

function changesSection(sources: readonly PagedSource[], base: string | undefined): string {
  if (base === undefined) return "";
  const changes = sources
    .flatMap(({ changes: all }) => all)
    .toSorted((one, other) => other.direction.localeCompare(one.direction, "en"));
  const items = changes.map(
    ({ direction, reason }) => `<li class="${direction}"><b>${direction}</b> ${escaped(reason)}</li>`,
  );
  return `<section class="changes" aria-labelledby="changes"><h2 id="changes">Changes since ${escaped(base)}</h2>${items.length === 0 ? "<p>No permission changed.</p>" : `<ul>${items.join("")}</ul>`}</section>`;
}
