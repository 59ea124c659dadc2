import type { types } from "@pulumi/kubernetes";
import type { Input, Output } from "@pulumi/pulumi";
import { derive } from "../../inputs.ts";
import { filesDirectory, type HealthCheck, secretPath, type ServiceDescription } from "../../description/service.ts";
import type { HostEntry } from "../../settings/values/host-entries.ts";
import type { PodSettings } from "../../settings/values/pods.ts";
import type { FileSource } from "./files.ts";
import { resourcesOf } from "./resources.ts";
import { labelsOf, type ObjectLabels, type Scope } from "./scope.ts";
import { spread } from "./spread.ts";

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

const isEmpty = (value: object): boolean => Object.keys(value).length === 0;

/** Nodes of the pods, in the form of a pod and of CloudNativePG's affinity. */
export const placement = ({ nodeSelector = {}, tolerations = [] }: PodSettings) => ({
  ...(isEmpty(nodeSelector) ? {} : { nodeSelector }),
  ...(isEmpty(tolerations) ? {} : { tolerations }),
});

/** Labels and annotations of pods; the stack's own labels win. */
export const podMetadata = ({ labels, annotations = {} }: PodSettings, own: ObjectLabels) => ({
  labels: { ...labels, ...own },
  ...(isEmpty(annotations) ? {} : { annotations }),
});

export interface PodParts {
  readonly image: Output<string>;
  readonly files: readonly FileSource[];
  /** Secret of the namespace with which the node pulls images. */
  readonly imagePullSecret?: Input<string> | undefined;
  /** Settings of the cluster's owner. */
  readonly pod: PodSettings;
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
function lifecycle(service: ServiceDescription): Pick<types.input.core.v1.Container, "lifecycle"> {
  const { run, drainSeconds = 0, drainFile } = service;
  if (run === "job" || drainSeconds === 0) return {};
  const sleep = ["sleep", String(drainSeconds)];
  const command = drainFile === undefined ? sleep : ["sh", "-c", 'touch "$0"; exec "$@"', drainFile, ...sleep];
  return { lifecycle: { preStop: { exec: { command } } } };
}

/** Settings of the owner that a pod takes as they are. */
const asGiven = (pod: PodSettings): Partial<types.input.core.v1.PodSpec> => ({
  ...placement(pod),
  ...(pod.priorityClassName === undefined ? {} : { priorityClassName: pod.priorityClassName }),
  ...(pod.serviceAccountName === undefined ? {} : { serviceAccountName: pod.serviceAccountName }),
});

/** The entries of a pod's hosts file, one for each address. */
const aliasesOf = (entries: readonly HostEntry[]): types.input.core.v1.HostAlias[] =>
  [...Map.groupBy(entries, ({ ip }) => ip)].map(([ip, same]) => ({ ip, hostnames: same.map(({ host }) => host) }));

export function podTemplate(
  service: ServiceDescription,
  parts: PodParts,
): types.input.core.v1.PodTemplateSpec & { metadata: { labels: Input<Record<string, Input<string>>> } } {
  const { image, files, imagePullSecret, pod, scope } = parts;
  const { command, entrypoint, drainSeconds = 0, graceSeconds, run } = service;
  return {
    metadata: podMetadata(pod, labelsOf(service.name, scope)),
    spec: {
      automountServiceAccountToken: false,
      // Kubernetes would add variables like ENGINE_PORT for each Service, which the programs would read as settings.
      enableServiceLinks: false,
      securityContext: podSecurity(service),
      ...(service.hosts === undefined ? {} : { hostAliases: derive(service.hosts, aliasesOf) }),
      ...(imagePullSecret === undefined ? {} : { imagePullSecrets: [{ name: imagePullSecret }] }),
      ...spread(service, pod, scope),
      ...asGiven(pod),
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
          resources: resourcesOf(service.name, service.resources, pod),
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

/** A service that hangs gets no new connections after 9 s. Commands start a program, which takes longer on a busy node. */
const readiness = {
  http: { periodSeconds: 3, timeoutSeconds: 3, failureThreshold: 2 },
  command: { periodSeconds: 5, timeoutSeconds: 5, failureThreshold: 2 },
} as const;

/** Probes from one health description. Readiness includes dependencies; liveness checks the service only and waits longer. */
function probesOf({ health, alive = health, data }: ServiceDescription): Probes {
  if (health === undefined || alive === undefined) return {};
  const within = data === undefined ? startWithin : startWithinWithData;
  return {
    startupProbe: { ...action(health), periodSeconds: 2, timeoutSeconds: 5, failureThreshold: within / 2 },
    readinessProbe: { ...action(health), ...readiness[health.kind] },
    livenessProbe: { ...action(alive), periodSeconds: 10, timeoutSeconds: 5, failureThreshold: 6 },
  };
}
