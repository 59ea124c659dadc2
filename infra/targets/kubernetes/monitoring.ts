import { CustomResource } from "@pulumi/kubernetes/apiextensions/index.js";
import { ConfigMap } from "@pulumi/kubernetes/core/v1/index.js";
import type { Resource } from "@pulumi/pulumi";
import { parse } from "yaml";
import { alertRules, grafanaDashboard } from "../../monitoring/prometheus-files.ts";
import { labelsOf, metadataOf } from "./scope.ts";
import type { Scope } from "./scope.ts";

const apiVersion = "monitoring.coreos.com/v1";

/**
 * Objects of the Prometheus operator: a PodMonitor for every container port named `metrics`, the alerts as a PrometheusRule, and the dashboard in a
 * ConfigMap with the label by which Grafana's sidecar finds it.
 */
export function monitorByOperator(scope: Scope, parent: Resource): void {
  const metadata = metadataOf("routeql", undefined, scope);
  const service = "__meta_kubernetes_pod_label_app_kubernetes_io_name";
  const relabelings = [
    { sourceLabels: [service], targetLabel: "service" },
    { sourceLabels: [service], targetLabel: "job", replacement: "routeql/$1" },
  ];
  const selector = { matchLabels: { ...labelsOf(undefined, { instance: scope.instance }) } };
  void new CustomResource(scope.named("pod-monitor"), { apiVersion, kind: "PodMonitor", metadata, spec: { selector, podMetricsEndpoints: [{ port: "metrics", relabelings }] } }, { parent });
  void new CustomResource(scope.named("alerts"), { apiVersion, kind: "PrometheusRule", metadata, spec: parse(alertRules()) as object }, { parent });
  void new ConfigMap(
    scope.named("dashboard"),
    { metadata: { ...metadata, name: "routeql-dashboard", labels: { ...metadata.labels, grafana_dashboard: "1" } }, data: { "routeql.json": grafanaDashboard() } },
    { parent },
  );
}
