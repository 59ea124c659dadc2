import type { DeclaredAccess, DeclaredPermission, DeclaredTable } from "@routeql/metadata/declared/declared";
import { filterSql, filterWords } from "@routeql/metadata/declared/filter-text";
import { operations } from "@routeql/metadata/declared/permission";
import type { AccessChange } from "../diff/change.ts";
import { told } from "./expectations.ts";
import type { DocumentedSource } from "./markdown.ts";
import { type VisibleRows, visibleText } from "./visible-rows.ts";

/** A source with its changes since the base revision and the rows that roles see. */
export interface PagedSource extends DocumentedSource {
  readonly changes: readonly AccessChange[];
  readonly visible: readonly VisibleRows[];
}

export const anchorText = (text: string): string => text.replaceAll(/[^\w-]/g, "-");

const limitOf = ({ limit }: DeclaredPermission) =>
  limit === undefined ? "no limit" : `${limit.toLocaleString("en")} rows`;
const anchor = ({ name }: DocumentedSource, table: DeclaredTable) =>
  `table-${anchorText(name === undefined ? table.key : `${name}.${table.key}`)}`;
const isOpen = ({ filter }: DeclaredPermission) => Object.keys(filter).length === 0;

const changesOf = ({ changes }: PagedSource, table: DeclaredTable, role?: string) =>
  changes.filter((change) => change.table === table.key && (role === undefined || change.role === role));

/** A sign for changes of a permission; empty without changes. */
function sign(changes: readonly AccessChange[]): string {
  const directions = new Set(changes.map(({ direction }) => direction));
  const signs = { wider: "▲", narrower: "▼", changed: "◆" } as const;
  return [...directions]
    .map(
      (direction) =>
        ` <span class="${direction}" title="${escaped(
          changes
            .filter((change) => change.direction === direction)
            .map(({ reason }) => reason)
            .join("\n"),
        )}">${signs[direction]} ${direction}</span>`,
    )
    .join("");
}

/** Roles across, tables down: the share of the columns, and the rows. */
export function matrix(source: PagedSource, roles: readonly string[]): string {
  const { access } = source;
  const cell = (table: DeclaredTable, role: string) => {
    const permission = access.permission(role, table.key);
    const changed = changesOf(source, table, role);
    const kinds = changed.length === 0 ? "" : ` changed ${changed[0]?.direction ?? ""}`;
    if (permission === undefined)
      return `<td data-role="${escaped(role)}" class="none${kinds}"><span title="no permission">–</span>${sign(changed)}</td>`;
    const whole = permission.columns.length === table.fields.size && isOpen(permission);
    const rows = visibleOf(source, table, role);
    const share = `<b>${permission.columns.length}/${table.fields.size}</b> columns`;
    return `<td data-role="${escaped(role)}" class="${whole ? "all" : "some"}${kinds}">${share}${sign(changed)}<br>${isOpen(permission) ? "every row" : "filtered"}${rows === undefined ? "" : `: ${visibleText(rows)}`}<br><small>${permission.limit === undefined ? "" : "at most "}${limitOf(permission)}${permission.aggregates ? ", aggregates" : ""}</small></td>`;
  };
  return `<div class="scroll matrix"><table><thead><tr><th scope="col">Table</th>${roles.map((role) => `<th scope="col" data-role="${escaped(role)}">${escaped(role)}</th>`).join("")}</tr></thead><tbody>
${[...access.tables.values()].map((table) => `<tr data-table="${anchor(source, table)}"${changesOf(source, table).length === 0 ? "" : " data-changed"}><th scope="row"><a href="#${anchor(source, table)}">${escaped(table.rootField)}</a></th>${roles.map((role) => cell(table, role)).join("")}</tr>`).join("\n")}
</tbody></table></div>`;
}

const visibleOf = ({ visible }: PagedSource, table: DeclaredTable, role: string) =>
  visible.find((rows) => rows.table === table.key && rows.role === role);

/** One table: a card for each role, and its columns. */
export function tableSection(
  source: PagedSource,
  roles: readonly string[],
  table: DeclaredTable,
  isOpened: boolean,
): string {
  const { access } = source;
  const granted = roles.flatMap((role) => access.permission(role, table.key) ?? []);
  const heading = `<summary><h2>${escaped(table.rootField)} <small>${escaped(table.key)}${table.isView ? ", a view" : ""}</small>${sign(changesOf(source, table))}</h2></summary>`;
  const opening = `<section id="${anchor(source, table)}" class="table"${changesOf(source, table).length === 0 ? "" : " data-changed"}><details${isOpened ? " open" : ""}>${heading}`;
  if (granted.length === 0)
    return `${opening}<p>No role has a permission to read it. Filters of other tables can use it.</p></details></section>`;
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
  return `${opening}
<div class="cards">${granted.map((permission) => card(source, access, table, permission)).join("")}</div>
<div class="scroll"><table class="columns"><thead><tr><th scope="col">Column</th>${head}</tr></thead><tbody>${columns.join("\n")}</tbody></table></div>
</details></section>`;
}

function card(
  source: PagedSource,
  access: DeclaredAccess,
  table: DeclaredTable,
  permission: DeclaredPermission,
): string {
  const next = table.relationships
    .filter(({ target }) => access.permission(permission.role, target) !== undefined)
    .map(({ name }) => `<code>${escaped(name)}</code>`);
  const sql = told(() => filterSql(access, table.key, permission.filter, "it", (name) => `session('${name}')`));
  const cells = [...permission.cells].map(
    ([column, filter]) =>
      `<li><code>${escaped(table.fields.get(column) ?? column)}</code> only where ${marked(told(() => filterWords(access, table.key, filter)))}</li>`,
  );
  const rows = visibleOf(source, table, permission.role);
  const changed = changesOf(source, table, permission.role);
  return `<article data-role="${escaped(permission.role)}"${changed.length === 0 ? "" : ` class="changed ${changed[0]?.direction ?? ""}"`}><h3>${escaped(permission.role)}</h3>
${changed.length === 0 ? "" : `<ul class="changes">${changed.map(({ direction, reason }) => `<li class="${direction}"><b>${direction}</b> ${escaped(reason)}</li>`).join("")}</ul>`}
<dl><dt>Rows</dt><dd>${marked(told(() => filterWords(access, table.key, permission.filter)))}</dd>
${rows === undefined ? "" : `<dt>Visible</dt><dd>${visibleText(rows)}${rows.visible.length > 1 ? `, in ${rows.visible.length} sessions` : ""}</dd>`}
<dt>Limit</dt><dd>${limitOf(permission)}</dd>
<dt>By</dt><dd>${operations
    .filter((operation) => permission.operations.has(operation))
    .map((operation) => `<span class="chip">${operation}</span>`)
    .join(" ")}</dd>
${next.length === 0 ? "" : `<dt>Leads to</dt><dd>${next.join(", ")}</dd>`}</dl>
${cells.length === 0 ? "" : `<ul>${cells.join("")}</ul>`}
${isOpen(permission) ? "" : `<details><summary>In SQL</summary><pre>select it.* from ${escaped(table.key)} it\nwhere ${escaped(sql.replaceAll(" and exists (", "\n  and exists ("))}</pre></details>`}</article>`;
}

export const escaped = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");

/** Text for HTML in which names stand between backticks. */
export const marked = (words: string): string => escaped(words).replaceAll(/`([^`]*)`/g, "<code>$1</code>");
