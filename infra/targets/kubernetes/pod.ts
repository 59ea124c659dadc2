import type { types } from "@pulumi/kubernetes";
import type { Input, Output } from "@pulumi/pulumi";
import { derive } from "../../inputs.ts";
import { filesDirectory, type HealthCheck, secretPath, type ServiceDescription } from "../../services/description.ts";
import type { HostEntry } from "../../settings/values/host-entries.ts";
import type { Toleration } from "../../settings/values/kubernetes-checks.ts";
import type { FileSource } from "./files.ts";
import { labelsOf, type ObjectLabels, type Scope, selectorOf } from "./scope.ts";

/** Requirements of Pod Security `restricted` for a pod, with the service's own user. */
function podSecurity({ user, data }: ServiceDescription): types.input.core.v1.PodSecurityContext {
  return {
    runAsNonRoot: true,
    runAsUser: user,
    runAsGroup: user,
    // A new volume belongs to root; the group makes it writable.
    ...(data === undefined ? {} : { fsGroup: user, fsGroupChangePolicy: "OnRootMismatch" }),
    seccompProfile: { type: "RuntimeDefault" },
  };
}

/** The same for each container, and a read-only root. */
const containerSecurity: types.input.core.v1.SecurityContext = {
  allowPrivilegeEscalation: false,
  capabilities: { drop: ["ALL"] },
  readOnlyRootFilesystem: true,
  privileged: false,
};

export const dataVolume = "data";

/** Settings of the cluster's owner for pods. */
export interface PodSettings {
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  readonly nodeSelector: Readonly<Record<string, string>>;
  readonly tolerations: readonly Toleration[];
  /** Of pods with data. */
  readonly priorityClass?: string | undefined;
}

const isEmpty = (value: object): boolean => Object.keys(value).length === 0;

/** Placement of all pods, in the form of a pod and of CloudNativePG's affinity. */
export const placement = ({ nodeSelector, tolerations }: PodSettings) => ({
  ...(isEmpty(nodeSelector) ? {} : { nodeSelector: { ...nodeSelector } }),
  ...(isEmpty(tolerations) ? {} : { tolerations: [...tolerations] }),
});

/** Labels and annotations of all pods; the stack's own labels win. */
export const podMetadata = ({ labels, annotations }: PodSettings, own: ObjectLabels) => ({
  labels: { ...labels, ...own },
  ...(isEmpty(annotations) ? {} : { annotations: { ...annotations } }),
});

export interface PodParts {
  readonly image: Output<string>;
  readonly files: readonly FileSource[];
  /** Secret of the namespace with which the node pulls images. */
  readonly imagePullSecret?: Input<string> | undefined;
  readonly pods: PodSettings;
  readonly scope: Scope;
}

/** The volume's root directory belongs to root, so a service that must own its data uses a directory below it. */
function environment({
  environment: plain,
  secrets,
  data,
  dataVariable,
}: ServiceDescription): { name: string; value: Input<string> }[] {
  const paths = Object.entries(secrets).map(([name, secret]) => [name, secretPath(secret)] as const);
  const own = data === undefined || dataVariable === undefined ? {} : { [dataVariable]: `${data}/own` };
  const all = { ...plain, ...own, ...Object.fromEntries(paths) };
  return Object.entries(all)
    .map(([name, value]) => ({ name, value }))
    .sort((left, right) => (left.name < right.name ? -1 : 1));
}

/** In the form in which the API server stores them. Another form would be a change in each `kubectl apply`. */
export const quantities = (cpuMillicores: number, memoryMegabytes: Input<number>) => ({
  cpu: cpuMillicores % 1000 === 0 ? String(cpuMillicores / 1000) : `${cpuMillicores}m`,
  memory: derive(memoryMegabytes, (megabytes) => (megabytes % 1024 === 0 ? `${megabytes / 1024}Gi` : `${megabytes}Mi`)),
});

/** Processor: a request, and a limit of eight times that, so that a start or a burst is not throttled. */
function resources({
  resources: { cpuMillicores, memoryMegabytes },
}: ServiceDescription): types.input.core.v1.ResourceRequirements {
  return {
    requests: quantities(cpuMillicores, memoryMegabytes),
    limits: quantities(cpuMillicores * 8, memoryMegabytes),
  };
}

function ports({ ports: published, listens, metricsPort }: ServiceDescription): types.input.core.v1.ContainerPort[] {
  const inside = [...listens, ...(metricsPort === undefined ? [] : [{ name: "metrics", port: metricsPort }])];
  return [
    ...published.map(({ internal }) => ({ name: `port-${internal}`, containerPort: internal, protocol: "TCP" })),
    ...inside.map(({ name, port }) => ({ name, containerPort: port, protocol: "TCP" })),
  ];
}

const temporaryName = (path: string): string => `temporary${path.replaceAll(/[^a-z0-9]+/g, "-")}`;

function mounts(
  { temporary, data }: ServiceDescription,
  files: readonly FileSource[],
): types.input.core.v1.VolumeMount[] {
  return [
    ...(files.length === 0 ? [] : [{ name: "files", mountPath: filesDirectory, readOnly: true }]),
    ...Object.keys(temporary).map((path) => ({ name: temporaryName(path), mountPath: path })),
    ...(data === undefined ? [] : [{ name: dataVolume, mountPath: data }]),
  ];
}

function volumes({ temporary }: ServiceDescription, files: readonly FileSource[]): types.input.core.v1.Volume[] {
  return [
    ...(files.length === 0 ? [] : [{ name: "files", projected: { defaultMode: 0o444, sources: [...files] } }]),
    ...Object.entries(temporary).map(([path, megabytes]) => ({
      name: temporaryName(path),
      emptyDir: { medium: "Memory", sizeLimit: `${megabytes}Mi` },
    })),
  ];
}

/** A terminating pod keeps serving until its clients know; then its own signal stops it. */
function lifecycle({ run, drainSeconds = 0 }: ServiceDescription): Pick<types.input.core.v1.Container, "lifecycle"> {
  if (run === "job" || drainSeconds === 0) return {};
  return { lifecycle: { preStop: { exec: { command: ["sleep", String(drainSeconds)] } } } };
}

/** Spreads the replicas of a service over nodes and zones, where there are several. */
function spread(service: ServiceDescription, scope: Scope): types.input.core.v1.TopologySpreadConstraint[] {
  return ["kubernetes.io/hostname", "topology.kubernetes.io/zone"].map((topologyKey) => ({
    maxSkew: 1,
    topologyKey,
    whenUnsatisfiable: "ScheduleAnyway",
    labelSelector: { matchLabels: { ...selectorOf(service.name, scope) } },
    // Terminating old replicas do not count.
    matchLabelKeys: ["pod-template-hash"],
  }));
}

/** The entries of a pod's hosts file, one for each address. */
const aliasesOf = (entries: readonly HostEntry[]): types.input.core.v1.HostAlias[] =>
  [...Map.groupBy(entries, ({ ip }) => ip)].map(([ip, same]) => ({ ip, hostnames: same.map(({ host }) => host) }));

export function podTemplate(
  service: ServiceDescription,
  parts: PodParts,
): types.input.core.v1.PodTemplateSpec & { metadata: { labels: Input<Record<string, Input<string>>> } } {
  const { image, files, imagePullSecret, pods, scope } = parts;
  const { command, entrypoint, drainSeconds = 0, graceSeconds, run, data } = service;
  return {
    metadata: podMetadata(pods, labelsOf(service.name, scope)),
    spec: {
      automountServiceAccountToken: false,
      // Kubernetes would add variables like ENGINE_PORT for each Service, which the programs would read as settings.
      enableServiceLinks: false,
      securityContext: podSecurity(service),
      ...(service.hosts === undefined ? {} : { hostAliases: derive(service.hosts, aliasesOf) }),
      ...(imagePullSecret === undefined ? {} : { imagePullSecrets: [{ name: imagePullSecret }] }),
      ...(run === "service" && data === undefined ? { topologySpreadConstraints: spread(service, scope) } : {}),
      ...placement(pods),
      ...(data === undefined || pods.priorityClass === undefined ? {} : { priorityClassName: pods.priorityClass }),
      restartPolicy: run === "job" ? "Never" : "Always",
      terminationGracePeriodSeconds: graceSeconds + drainSeconds,
      containers: [
        {
          name: service.name,
          image,
          imagePullPolicy: "IfNotPresent",
          // Kubernetes calls Docker's entry point `command`, and Docker's command `args`.
          ...(entrypoint === undefined ? {} : { command: [...entrypoint] }),
          ...(command === undefined ? {} : { args: [...command] }),
          env: environment(service),
          ports: ports(service),
          resources: resources(service),
          securityContext: containerSecurity,
          volumeMounts: mounts(service, files),
          ...probesOf(service),
          ...lifecycle(service),
        },
      ],
      volumes: volumes(service, files),
    },
  };
}

type Probe = types.input.core.v1.Probe;
type Probes = Pick<types.input.core.v1.Container, "startupProbe" | "readinessProbe" | "livenessProbe">;

/** Seconds until a service must answer for the first time. */
export const startWithin = 300;
/** The same for a service that may first read or repair its data. */
const startWithinWithData = 1800;

function action(check: HealthCheck): Pick<Probe, "httpGet" | "exec"> {
  return check.kind === "http"
    ? { httpGet: { path: check.path, port: check.port } }
    : { exec: { command: [...check.command] } };
}

/** Probes from one health description. Readiness includes dependencies; liveness checks the service only and waits longer. */
function probesOf({ health, alive = health, data }: ServiceDescription): Probes {
  if (health === undefined || alive === undefined) return {};
  const within = data === undefined ? startWithin : startWithinWithData;
  return {
    startupProbe: { ...action(health), periodSeconds: 2, timeoutSeconds: 5, failureThreshold: within / 2 },
    readinessProbe: { ...action(health), periodSeconds: 5, timeoutSeconds: 5, failureThreshold: 2 },
    livenessProbe: { ...action(alive), periodSeconds: 10, timeoutSeconds: 5, failureThreshold: 6 },
  };
}
