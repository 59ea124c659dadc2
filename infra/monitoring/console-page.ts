import { sections } from "./panels.ts";
import type { Panel, Unit } from "./panels.ts";

const formats: Readonly<Record<Unit, string>> = {
  count: "{{ .Value | humanize }}",
  "per second": '{{ printf "%.3f" .Value }} /s',
  "per minute": '{{ printf "%.1f" .Value }} /min',
  seconds: "{{ .Value | humanizeDuration }}",
  share: '{{ printf "%.3f" .Value | humanizePercentage }}',
  bytes: "{{ .Value | humanize1024 }}B",
};

const style = `
  body { font: 15px/1.4 sans-serif; margin: 2rem; color: #1b1f24; background: #fff; }
  h2 { border-bottom: 1px solid #d0d7de; margin: 2rem 0 1rem; }
  .panels { display: grid; grid-template-columns: repeat(auto-fill, minmax(22rem, 1fr)); gap: 1rem; }
  .panel { border: 1px solid #d0d7de; border-radius: 6px; padding: .75rem 1rem; }
  h3 { font-size: 1rem; margin: 0 0 .5rem; }
  table { width: 100%; border-collapse: collapse; }
  td { padding: .1rem 0; overflow-wrap: anywhere; }
  td:last-child { text-align: right; white-space: nowrap; padding-left: 1rem; font-variant-numeric: tabular-nums; }
  td.none:last-child { color: #6e7781; text-align: left; padding-left: 0; }
`;

/** A quantile or a share of nothing is not a number. */
const value = (unit: Unit): string => `{{ if eq (printf "%v" .Value) "NaN" }}none{{ else }}${formats[unit]}{{ end }}`;

const quoted = (query: string): string => JSON.stringify(query);

function panel({ title, query, by, unit }: Panel): string {
  const name = by.length === 0 ? "now" : by.map((label) => `{{ .Labels.${label} }}`).join(" ");
  const sorted = by
    .toReversed()
    .map((label) => ` | sortByLabel ${quoted(label)}`)
    .join("");
  return `  <div class="panel">
    <h3><a href="{{ graphLink ${quoted(query)} }}">${title}</a></h3>
    <table>
      {{ range query ${quoted(query)}${sorted} }}<tr><td>${name}</td><td>${value(unit)}</td></tr>
      {{ else }}<tr><td class="none">none</td></tr>
      {{ end }}
    </table>
  </div>`;
}

/** A page of Prometheus (console template) with every panel as a table, for operators without Grafana. It needs no script. */
export function consolePage(): string {
  const body = sections
    .map(({ title, panels }) => `<h2>${title}</h2>\n<div class="panels">\n${panels.map(panel).join("\n")}\n</div>`)
    .join("\n");
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="refresh" content="15">
<title>RouteQL</title>
<style>${style}</style>
</head>
<body>
<h1>RouteQL</h1>
<p>The page loads itself again every 15 seconds. A title opens its graph. <a href="{{ pathPrefix }}/alerts">Alerts</a> · <a href="{{ pathPrefix }}/targets">Targets</a></p>
${body}
</body>
</html>
`;
}
