import { CustomResource } from "@pulumi/kubernetes/apiextensions/index.js";
import { ConfigMap, Namespace } from "@pulumi/kubernetes/core/v1/index.js";
import { NetworkPolicy } from "@pulumi/kubernetes/networking/v1/index.js";
import { all, type Input, output, type Resource } from "@pulumi/pulumi";
import { parse } from "yaml";
import { alertRules, grafanaDashboard } from "../../monitoring/prometheus-files.ts";
import { stackLabel } from "../../monitoring/stack-label.ts";
import { earlierThan, type ServiceDescription, type ServiceName } from "../../description/service.ts";
import { runForeign } from "./foreign.ts";
import { imageReferences } from "./images.ts";
import type { KubernetesRun } from "./kubernetes-run.ts";
import { denyAll, networkRules, type NetworkFacts } from "./network-rules.ts";
import { resourcesOf } from "./resources.ts";
import { labelsOf, metadataOf, type Scope } from "./scope.ts";
import { KubernetesService } from "./service.ts";
import type { Replicas } from "./workload.ts";

/** The strictest Pod Security Standard: violations are rejected, warned about and audited. */
const podSecurityLabels: Readonly<Record<string, string>> = Object.fromEntries(
  ["enforce", "warn", "audit"].flatMap((mode) => [
    [`pod-security.kubernetes.io/${mode}`, "restricted"],
    [`pod-security.kubernetes.io/${mode}-version`, "latest"],
  ]),
);

/** The stack's namespace. Deleting it deletes all its volumes. */
function makeNamespace(
  scope: Pick<Scope, "namespace" | "instance" | "state" | "named">,
  protect: boolean,
  parent: Resource,
): Namespace {
  return new Namespace(
    scope.named("namespace"),
    { metadata: { name: scope.namespace, labels: { ...labelsOf(undefined, scope), ...podSecurityLabels } } },
    { parent, protect },
  );
}

const apiVersion = "monitoring.coreos.com/v1";

/** Objects of the Prometheus operator: a PodMonitor for ports named `metrics`, the alerts, and the dashboard for Grafana's sidecar. */
function monitorByOperator(scope: Scope, parent: Resource): void {
  const metadata = metadataOf("routeql", undefined, scope);
  const stack = stackLabel(scope.instance);
  const service = "__meta_kubernetes_pod_label_app_kubernetes_io_name";
  const relabelings = [
    { sourceLabels: [service], targetLabel: "service" },
    { targetLabel: "stack", replacement: stack },
    { sourceLabels: [service], targetLabel: "job", replacement: `routeql/${stack}/$1` },
  ].map((relabeling) => ({ action: "replace", ...relabeling }));
  const selector = { matchLabels: { ...labelsOf(undefined, { instance: scope.instance }) } };
  void new CustomResource(
    scope.named("pod-monitor"),
    {
      apiVersion,
      kind: "PodMonitor",
      metadata,
      spec: { selector, podMetricsEndpoints: [{ port: "metrics", relabelings }] },
    },
    { parent },
  );
  void new CustomResource(
    scope.named("alerts"),
    { apiVersion, kind: "PrometheusRule", metadata, spec: parse(alertRules()) as object },
    { parent },
  );
  void new ConfigMap(
    scope.named("dashboard"),
    {
      metadata: { ...metadata, name: "routeql-dashboard", labels: { ...metadata.labels, grafana_dashboard: "1" } },
      // Grafana's sidecar writes the files of all namespaces into one folder.
      data: { [`routeql-${stack}.json`]: grafanaDashboard(stack) },
    },
    { parent },
  );
}

const one: Replicas = { least: 1, most: 1 };

export function runOnKubernetes(run: KubernetesRun, parent: Resource): readonly KubernetesService[] {
  // Before any object: the settings' own check does not know the services.
  for (const { name, resources } of run.services) resourcesOf(name, resources, run.pods(name));
  const namespace = run.createNamespace
    ? makeNamespace(run.scope, run.protectData, parent).metadata.name
    : output(run.scope.namespace);
  const scope: Scope = { ...run.scope, readyNamespace: namespace };
  const foreign = runForeign(run, { scope, parent });
  const policies = connect(
    run.services,
    {
      scope,
      outside: run.outside,
      foreign: foreign.parts,
      nameServers: run.nameServers,
      metricsNamespace: run.metricsNamespace,
    },
    parent,
  );
  if (run.monitoringOperator === true) monitorByOperator(scope, parent);
  const images = imageReferences(run.images, scope, parent);
  const running = new Map<ServiceName, KubernetesService>();
  for (const service of run.services) {
    const image = images.get(service.image);
    if (image === undefined) throw new Error(`There is no image ${service.image}, but ${service.name} needs it.`);
    const after = earlierThan(service).map((name) => {
      const earlier = running.get(name)?.ready ?? foreign.ready[name];
      if (earlier === undefined)
        throw new Error(`${service.name} waits for ${name}, which is not described before it.`);
      return earlier;
    });
    const storage = run.storage[service.name];
    if (service.data !== undefined && storage === undefined)
      throw new Error(`Nothing says how large the volume of ${service.name} is.`);
    const made = new KubernetesService(
      {
        service,
        image,
        secrets: run.secrets,
        foreignFiles: foreign.filesFor(service),
        imagePullSecret: run.imagePullSecret,
        pod: run.pods(service.name),
        replicas: run.replicas[service.name] ?? one,
        storage,
        publication: run.publication,
        protectData: run.protectData,
        scope,
        after: [...policies, ...foreign.before(service), ...after],
      },
      { parent },
    );
    running.set(service.name, made);
  }
  return [...running.values()];
}

/** External addresses may be known only during the deployment, because they are parts of secret URLs. */
export interface ClusterFacts extends Omit<NetworkFacts, "outside" | "nameServers" | "metricsNamespace"> {
  readonly outside: Input<NetworkFacts["outside"]>;
  readonly nameServers: Input<NetworkFacts["nameServers"]>;
  readonly metricsNamespace?: Input<string> | undefined;
}

/** Creates the policy that denies everything, then one for each service. */
function connect(
  services: readonly ServiceDescription[],
  around: ClusterFacts,
  parent: Resource,
): readonly NetworkPolicy[] {
  const { scope } = around;
  const denied = new NetworkPolicy(
    scope.named("deny-all"),
    { metadata: metadataOf("deny-all", undefined, scope), spec: denyAll },
    { parent },
  );
  const rules = all([around.outside, around.nameServers, around.metricsNamespace]).apply(
    ([outside, nameServers, metricsNamespace]) =>
      networkRules(services, { ...around, outside, nameServers, metricsNamespace }),
  );
  const allowed = services.map(({ name }) => {
    const spec = rules.apply((specs) => specs.get(name)!);
    return new NetworkPolicy(scope.named(name), { metadata: metadataOf(name, name, scope), spec }, { parent });
  });
  return [denied, ...allowed];
}
