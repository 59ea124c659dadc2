/** infra/monitoring/grafana-dashboard.json: the panels as a dashboard of Grafana, with a row for each section. */
import { VizLegendOptionsBuilder } from "@grafana/grafana-foundation-sdk/common";
import {
  DashboardBuilder,
  DatasourceVariableBuilder,
  QueryVariableBuilder,
  RowBuilder,
} from "@grafana/grafana-foundation-sdk/dashboard";
import { DataqueryBuilder } from "@grafana/grafana-foundation-sdk/prometheus";
import { PanelBuilder } from "@grafana/grafana-foundation-sdk/timeseries";
import { sections } from "@routeql/infra/monitoring/panels";
import type { Panel, Unit } from "@routeql/infra/monitoring/panels";

/** Grafana's names of the units. */
const units: Readonly<Record<Unit, string>> = {
  count: "short",
  "per second": "reqps",
  "per minute": "opm",
  seconds: "s",
  share: "percentunit",
  bytes: "bytes",
};

function timeseries({ title, unit, query, by }: Panel): PanelBuilder {
  const legend = by.length === 0 ? title : by.map((label) => `{{${label}}}`).join(" ");
  return new PanelBuilder()
    .title(title)
    .unit(units[unit])
    .min(0)
    .span(8)
    .height(7)
    .legend(new VizLegendOptionsBuilder().showLegend(true))
    .datasource({ type: "prometheus", uid: "${datasource}" })
    .withTarget(new DataqueryBuilder().expr(ofStack(query)).legendFormat(legend));
}

/** The query for the stacks that a person chooses: every series has the label. */
export function ofStack(query: string): string {
  const matcher = 'stack=~"$stack"';
  return query
    .split(/("[^"]*")/)
    .map((part) =>
      part.startsWith('"')
        ? part
        : part.replaceAll(
            /\b(ALERTS|up|(?:routeql|auth|feed|http|pg|redis|node|process)_[a-z_]+)\b(\{)?/g,
            (_all, name: string, brace?: string) =>
              brace === undefined ? `${name}{${matcher}}` : `${name}{${matcher}, `,
          ),
    )
    .join("");
}

export function grafanaDashboard(): string {
  const dashboard = new DashboardBuilder("RouteQL")
    .uid("routeql")
    .tags(["routeql"])
    .refresh("30s")
    .time({ from: "now-3h", to: "now" })
    .timezone("browser")
    .withVariable(new DatasourceVariableBuilder("datasource").label("Prometheus").type("prometheus"))
    .withVariable(
      new QueryVariableBuilder("stack")
        .label("Stack")
        .datasource({ type: "prometheus", uid: "${datasource}" })
        .query('label_values(up{job=~"routeql/.+"}, stack)')
        .includeAll(true)
        .allValue(".*")
        .current({ text: "All", value: "$__all" }),
    );
  let id = 0;
  for (const { title, panels } of sections) {
    dashboard.withRow(new RowBuilder(title).id((id += 1)));
    for (const panel of panels) dashboard.withPanel(timeseries(panel).id((id += 1)));
  }
  return `${JSON.stringify(dashboard.build(), null, 2)}\n`;
}
