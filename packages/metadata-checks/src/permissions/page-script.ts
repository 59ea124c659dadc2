/** Filters the page by text, role and change; opens the table that a link names. */
export const pageScript = `
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
