import type { ContainerArgs, types } from "@pulumi/docker";
import type { Input, Output } from "@pulumi/pulumi";
import { derive } from "../../inputs.ts";
import { filesDirectory, type HealthCheck, secretPath, type ServiceDescription } from "../../description/service.ts";
import type { DeliveredFiles } from "./files.ts";
import { readyWithin } from "./healthy.ts";
import type { Attachments } from "./networks.ts";
import { addressesOf } from "../../settings/values/checks.ts";
import { labels, type Scope } from "./scope.ts";

export interface ContainerParts {
  readonly image: Output<string>;
  readonly files?: DeliveredFiles;
  readonly dataVolume?: Output<string>;
  readonly attachments: Attachments;
  readonly hostAddress: Input<string>;
  readonly processorLimit: Input<number>;
  /** Whether the daemon has another interval for checks of a service that starts. */
  readonly startInterval?: Input<boolean>;
  readonly scope: Scope;
}

function environment(service: ServiceDescription, { dataVolume }: Scope): Input<string>[] {
  // Another volume is another variable, so the job runs again.
  const volume: [string, string][] =
    service.run === "job" && dataVolume !== undefined ? [["REPLACED_DATA_VOLUME", dataVolume]] : [];
  const paths = Object.entries(service.secrets).map(([name, secret]) => [name, secretPath(secret)] as const);
  return [...Object.entries(service.environment), ...paths, ...volume]
    .sort(([left], [right]) => (`${left}=` < `${right}=` ? -1 : 1))
    .map(([name, value]) => derive(value, (text) => `${name}=${text}`));
}

function volumes(service: ServiceDescription, { files, dataVolume, scope }: ContainerParts): ContainerArgs["volumes"] {
  return [
    ...(dataVolume === undefined || service.data === undefined
      ? []
      : [{ volumeName: dataVolume, containerPath: service.data, readOnly: false }]),
    ...Object.entries(service.shared ?? {}).map(([containerPath, { source, readOnly = false }]) => ({
      // SELinux lets a container use a folder of the host only with this label; other hosts ignore it.
      ...(source.startsWith("/")
        ? { hostPath: source, selinuxRelabel: "z" }
        : { volumeName: `${scope.prefix}-${source}` }),
      containerPath,
      readOnly,
    })),
    ...(files === undefined ? [] : [{ volumeName: files.volumeName, containerPath: filesDirectory, readOnly: true }]),
  ];
}

/** In memory, only for the service's user. */
function temporary({ temporary, user }: ServiceDescription): Record<string, string> {
  return Object.fromEntries(
    Object.entries(temporary).map(([path, megabytes]) => [
      path,
      `rw,noexec,nosuid,nodev,size=${megabytes}m,mode=0700,uid=${user},gid=${user}`,
    ]),
  );
}

/** Microseconds; the kernel's default. */
const quotaPeriod = 100_000;

function confinement({ resources }: ServiceDescription, processorLimit: Input<number>): Partial<ContainerArgs> {
  return {
    readOnly: true,
    capabilities: { drops: ["ALL"] },
    securityOpts: ["no-new-privileges"],
    memory: resources.memoryMegabytes,
    memorySwap: resources.memoryMegabytes,
    // A quota, because the Docker daemon rejects `cpus` above the host's number of processors.
    cpuPeriod: quotaPeriod,
    cpuQuota: derive(processorLimit, (processors) => processors * quotaPeriod),
    logDriver: "json-file",
    logOpts: { "max-size": "10m", "max-file": "3" },
  };
}

const healthCheckOf = (health: HealthCheck, { startInterval = false }: ContainerParts) =>
  derive(startInterval, (known) => dockerHealthCheck(health, known));

export function containerArgs(service: ServiceDescription, parts: ContainerParts): ContainerArgs {
  const { scope, files } = parts;
  const { processes } = service.resources;
  const networks = parts.attachments(service.name);
  const asJob = {
    restart: "no",
    mustRun: false,
    attach: true,
    logs: true,
    // Pulumi knows a job's container only after its end. No service runs as a job's user.
    ulimits: [{ name: "nproc", soft: processes, hard: processes }],
  };
  const asService = {
    restart: "unless-stopped",
    ports: derive(parts.hostAddress, (text) =>
      service.ports.flatMap(({ internal, published, loopback = false }) =>
        (loopback ? ["127.0.0.1"] : addressesOf(text)).map((ip) => ({ internal, external: published, ip })),
      ),
    ),
    ...(service.health === undefined
      ? {}
      : { healthcheck: healthCheckOf(service.health, parts), wait: true, waitTimeout: readyWithin }),
  };
  return {
    name: `${scope.prefix}-${service.name}`,
    image: parts.image,
    ...(service.entrypoint === undefined ? {} : { entrypoints: [...service.entrypoint] }),
    ...(service.command === undefined ? {} : { command: [...service.command] }),
    user: `${service.user}:${service.user}`,
    envs: environment(service, scope),
    labels: labels(scope, service.name, { run: service.run, ...(files === undefined ? {} : { files: files.version }) }),
    // Without a network of the stack, Docker would use one with external access.
    ...(service.hosts === undefined ? {} : { hosts: derive(service.hosts, (entries) => [...entries]) }),
    ...(networks.length === 0 ? { networkMode: "none" } : { networksAdvanced: networks }),
    volumes: volumes(service, parts),
    tmpfs: temporary(service),
    destroyGraceSeconds: service.graceSeconds,
    ...confinement(service, parts.processorLimit),
    ...(service.run === "job" ? asJob : asService),
  };
}

/** A GET with bash only: minimal images have no curl, and starting node for each check would cost more than the check. */
function get(port: number, path: string): string[] {
  const script = [
    `exec 3<>/dev/tcp/127.0.0.1/${port}`,
    String.raw`printf 'GET ${path} HTTP/1.0\r\nHost: localhost\r\n\r\n' >&3`,
    "read -r -t 3 _ status _ <&3",
    "[[ $status == 2?? ]]",
  ];
  return ["CMD", "bash", "-c", script.join(" && ")];
}

/**
 * Docker's health check; each takes a tenth of a second of processor time. The interval also delays the first check, so it is short, except on
 * a daemon that has another one for the start.
 */
export function dockerHealthCheck(health: HealthCheck, startInterval: boolean): types.input.ContainerHealthcheck {
  const tests = health.kind === "http" ? get(health.port, health.path) : ["CMD", ...health.command];
  const common = { tests, timeout: "5s", startPeriod: "30s" };
  return startInterval
    ? { ...common, interval: "30s", startInterval: "2s", retries: 3 }
    : { ...common, interval: "5s", retries: 5 };
}
