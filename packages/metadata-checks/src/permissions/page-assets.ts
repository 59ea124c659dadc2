/** Style of the page of permissions; light and dark as the reader has it, nothing from elsewhere. */
export const pageStyle = `
:root { color-scheme: light dark; --ink: light-dark(#1c2330, #e6e9ef); --dim: light-dark(#5b6577, #9aa4b5); --paper: light-dark(#f6f7f9, #12161d);
  --card: light-dark(#fff, #1a2029); --line: light-dark(#dde1e8, #2c3440); --accent: light-dark(#1f5fbf, #7db1ff);
  --good: light-dark(#17703a, #6fd39a); --bad: light-dark(#b3261e, #ff9b93); --some: light-dark(#fdf3dc, #352c16); --all: light-dark(#e3f4e8, #16301f); }
* { box-sizing: border-box; }
body { margin: 0; font: 15px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--paper); }
header, main, nav, footer { max-width: 76rem; margin: 0 auto; padding: 0 1.5rem; }
header { padding-top: 2rem; } h1 { margin: 0; font-size: 1.9rem; letter-spacing: -0.02em; } header p { margin: 0.2rem 0; color: var(--dim); }
header .good { color: var(--good); font-weight: 600; } header .bad { color: var(--bad); font-weight: 600; }
nav { position: sticky; top: 0; z-index: 2; display: flex; flex-wrap: wrap; gap: 0.4rem; padding-top: 0.8rem; padding-bottom: 0.8rem; background: var(--paper); }
button { font: inherit; color: var(--ink); padding: 0.2rem 0.8rem; border: 1px solid var(--line); border-radius: 999px; background: var(--card); cursor: pointer; }
button[aria-pressed="true"] { color: var(--card); background: var(--accent); border-color: var(--accent); }
section { margin: 1rem 0 2.2rem; scroll-margin-top: 4.5rem; } h2 { font-size: 1.25rem; margin: 0 0 0.7rem; } h2 small { font-weight: 400; font-size: 0.85rem; color: var(--dim); }
.findings { padding: 1rem 1.2rem; border: 1px solid var(--bad); border-radius: 10px; } .findings h2 { color: var(--bad); }
.scroll { overflow-x: auto; border: 1px solid var(--line); border-radius: 10px; background: var(--card); }
table { width: 100%; border-collapse: collapse; } th, td { padding: 0.45rem 0.8rem; text-align: left; vertical-align: top; border-bottom: 1px solid var(--line); }
tbody tr:last-child > * { border-bottom: 0; } thead th { font-size: 0.85rem; color: var(--dim); } tbody th { font-weight: 600; white-space: nowrap; }
td.some { background: var(--some); } td.all { background: var(--all); } td.none, td.no { color: var(--dim); } small { color: var(--dim); }
.columns td, .columns thead th:not(:first-child) { text-align: center; } .columns td.yes { color: var(--good); } .columns th, .columns td { padding-top: 0.15rem; padding-bottom: 0.15rem; }
.columns tbody th { font: 13px/1.6 ui-monospace, monospace; } a { color: var(--accent); text-decoration: none; } a:hover { text-decoration: underline; }
.cards { display: grid; grid-template-columns: repeat(auto-fill, minmax(17rem, 1fr)); gap: 0.8rem; margin-bottom: 0.8rem; }
article { padding: 0.8rem 1rem; border: 1px solid var(--line); border-radius: 10px; background: var(--card); min-width: 0; } h3 { margin: 0 0 0.4rem; font-size: 1rem; }
dl { display: grid; grid-template-columns: auto 1fr; gap: 0.25rem 0.8rem; margin: 0; } dt { color: var(--dim); font-size: 0.85rem; } dd { margin: 0; overflow-wrap: anywhere; }
code { font: 13px ui-monospace, monospace; } .chip { display: inline-block; padding: 0 0.45rem; border: 1px solid var(--line); border-radius: 6px; font-size: 0.8rem; white-space: nowrap; }
summary { cursor: pointer; color: var(--dim); font-size: 0.9rem; padding: 0.3rem 0; } pre { overflow-x: auto; font: 12px/1.5 ui-monospace, monospace; white-space: pre-wrap; margin: 0.3rem 0 0; }
article ul { margin: 0.5rem 0 0; padding-left: 1.1rem; } footer { padding-top: 1rem; padding-bottom: 3rem; color: var(--dim); } [hidden] { display: none; }
@media print { nav { display: none; } section { break-inside: avoid; } }
`;

/** Shows one role, or all. */
export const pageScript = `
for (const button of document.querySelectorAll("nav button")) button.addEventListener("click", () => {
  for (const other of document.querySelectorAll("nav button")) other.setAttribute("aria-pressed", String(other === button));
  const role = button.dataset.role;
  for (const item of document.querySelectorAll("main [data-role]")) item.hidden = role !== "" && item.dataset.role !== role;
});
`;
