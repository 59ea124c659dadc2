/** Style of the page of permissions; light or dark as the browser is set. */
export const pageStyle = `
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
