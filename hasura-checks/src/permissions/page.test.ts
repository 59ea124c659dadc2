import { describe, expect, test } from "vitest";
import { declaredAccess } from "@routeql/metadata/declared/declared";
import { accessChanges } from "../diff/widening.ts";
import { examinable, readProject } from "../metadata/project.ts";
import { MetadataFolder, tableFile } from "../testing/tool.ts";
import { renderPage } from "./page.ts";

const own = "columns: [id, title]\nfilter: {owner: {_eq: X-Hasura-User-Id}}\nlimit: 10";

/** The page of two revisions of the tables `note` and `tag`. */
function pageOf(
  note: string,
  { before, tables = 1 }: { readonly before?: string; readonly tables?: number } = {},
): string {
  const further = Array.from({ length: tables }, (_none, index) =>
    tableFile(`tag_${index}`, "columns: [id]\nfilter: {}"),
  );
  using folder = new MetadataFolder([tableFile("note", note), ...further]);
  using base = new MetadataFolder([tableFile("note", before ?? note), ...further]);
  const [project, earlier] = [folder, base].map(({ path }) => examinable(readProject("metadata", path), "of the test"));
  if (project === undefined || earlier === undefined) throw new Error("two revisions are needed");
  const changes = accessChanges(
    { metadata: earlier.metadata, project: earlier },
    { metadata: project.metadata, project },
  );
  const visible = [
    { source: "default", role: "reader", table: "public.note", all: 60, visible: [20, 24], isSample: false },
  ];
  const source = { name: undefined, access: declaredAccess(project.metadata), changes, visible };
  return renderPage([source], {
    rolesWithoutPermission: ["visitor"],
    origin: "metadata",
    verified: { rows: 1234 },
    findings: [],
    base: before === undefined ? undefined : "origin/main",
  });
}

const cellsOf = (page: string) =>
  [...page.matchAll(/<td data-role="(\w+)" class="([^"]*)"/g)].map(([, role, kind]) => `${role ?? ""}: ${kind ?? ""}`);

describe("the page of permissions", () => {
  test("has a matrix of roles and tables, and each filter in words and as SQL", () => {
    const page = pageOf(own);
    expect(cellsOf(page).slice(0, 4)).toEqual(["reader: some", "visitor: none", "reader: all", "visitor: none"]);
    expect(page).toContain("filtered: 20 to 24 of 60<br><small>at most 10 rows");
    expect(page).toContain("<code>owner</code>");
    expect(page).toMatch(/where .*session\(&#39;x-hasura-user-id&#39;\)|where .*session\('x-hasura-user-id'\)/);
    expect(page).toContain("1,234 checks on real rows: all as declared");
  });

  test("refers to no other file and no address", () => {
    expect(pageOf(own, { before: own })).not.toMatch(/(src|href)="(?!#)|url\(|@import|https?:/);
  });

  test.each([
    ["wider", own.replace("[id, title]", "[id]"), "reader can now read public.note.title"],
    ["narrower", own.replace("[id, title]", "[id, title, secret]"), "reader can no longer read public.note.secret"],
  ])("highlights a permission that is %s than in the base", (direction, before, reason) => {
    const page = pageOf(own, { before });
    expect(cellsOf(page)[0]).toBe(`reader: some changed ${direction}`);
    expect(page).toContain(`<li class="${direction}"><b>${direction}</b> ${reason}</li>`);
    expect(page.match(/<tr data-table="[^"]*" data-changed>/g)).toEqual([
      '<tr data-table="table-public-note" data-changed>',
    ]);
    expect(page).toContain("Changes only");
  });

  test("highlights nothing without a change", () => {
    const page = pageOf(own, { before: own });
    expect(page).not.toContain(" data-changed>");
    expect(page).toContain("No permission changed.");
  });

  test("opens the tables of a small project and closes those of a large one", () => {
    expect(pageOf(own).match(/<details open>/g)).toHaveLength(2);
    expect(pageOf(own, { tables: 20 }).match(/<details open>/g)).toBeNull();
  });
});
