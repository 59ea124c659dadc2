import type Docker from "dockerode";
import { hostFolderVariable } from "@routeql/host/own-peers";
import { z } from "zod";
import { labelInputs, labelsOf } from "../labels.ts";

const duration = z
  .string()
  .regex(/^(\d+(\.\d+)?(ns|us|ms|s|m|h))+$/, { error: "must be a duration such as 5s, 500ms or 1m30s" });
const texts = z.array(z.string()).optional();
const whole = z.int().optional();

/** A program that reaches Pulumi must not gain the rights of the Docker daemon: only the program's folder is mounted. */
const hostPath = z
  .string()
  .refine((folder) => folder !== "" && folder === process.env[hostFolderVariable], {
    error: `the replacement docker provider mounts only the folder of ARCHIVE_DIRECTORY, which npm run up passes as ${hostFolderVariable}`,
  });

/** The supported inputs of docker:index/container:Container, with the real provider's names and units. */
export const containerInputs = z.strictObject({
  name: z.string().min(1, { error: "the stand-in docker provider does not generate names: set one" }),
  image: z.string(),
  command: texts,
  entrypoints: texts,
  user: z.string().optional(),
  envs: texts,
  labels: labelInputs,
  networkMode: z.enum(["none", "bridge"]).optional(),
  networksAdvanced: z.array(z.strictObject({ name: z.string(), aliases: texts })).optional(),
  hosts: z.array(z.strictObject({ host: z.string(), ip: z.string() })).optional(),
  volumes: z
    .array(
      z.strictObject({
        volumeName: z
          .string()
          .regex(/^[a-zA-Z0-9][\w.-]*$/, { error: "must be the name of a volume, and no path" })
          .optional(),
        hostPath: hostPath.optional(),
        containerPath: z.string(),
        readOnly: z.boolean().optional(),
        selinuxRelabel: z.literal("z").optional(),
      }),
    )
    .optional(),
  tmpfs: z.record(z.string(), z.string()).optional(),
  readOnly: z.boolean().optional(),
  capabilities: z.strictObject({ drops: texts }).optional(),
  securityOpts: z.array(z.literal("no-new-privileges")).optional(),
  /** In MB. */
  memory: whole,
  /** In MB, memory and swap together; -1 for no limit. */
  memorySwap: whole,
  /** In microseconds: processor time in each period. */
  cpuPeriod: whole,
  cpuQuota: whole,
  ulimits: z.array(z.strictObject({ name: z.string(), soft: z.int(), hard: z.int() })).optional(),
  logDriver: z.string().optional(),
  logOpts: z.record(z.string(), z.string()).optional(),
  restart: z.string().optional(),
  /** In seconds: time that a container has to stop before it is killed. */
  destroyGraceSeconds: whole,
  ports: z.array(z.strictObject({ internal: z.int(), external: z.int(), ip: z.string().optional() })).optional(),
  healthcheck: z
    .strictObject({
      tests: z.array(z.string()),
      interval: duration.optional(),
      timeout: duration.optional(),
      startPeriod: duration.optional(),
      startInterval: duration.optional(),
      retries: whole,
    })
    .optional(),
  uploads: z
    .array(
      z.strictObject({
        file: z.string(),
        content: z.string().optional(),
        contentBase64: z.base64().optional(),
        permissions: z
          .string()
          .regex(/^[0-7]{3,4}$/, { error: "must be an octal mode such as 0444" })
          .optional(),
      }),
    )
    .optional(),
  start: z.boolean().optional(),
  mustRun: z.boolean().optional(),
  wait: z.boolean().optional(),
  /** In seconds. */
  waitTimeout: whole,
  attach: z.boolean().optional(),
  logs: z.boolean().optional(),
});

export type ContainerInputs = z.infer<typeof containerInputs>;

const megabyte = 1024 * 1024;
const nanoseconds: Readonly<Record<string, number>> = { ns: 1, us: 1e3, ms: 1e6, s: 1e9, m: 60e9, h: 3600e9 };

/** `1m30s` in nanoseconds (Go's time.ParseDuration, without signs). */
export function durationNanoseconds(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  return [...text.matchAll(/(\d+(?:\.\d+)?)(ns|us|ms|s|m|h)/g)].reduce(
    (sum, [, count, unit]) => sum + Number(count) * nanoseconds[unit!]!,
    0,
  );
}

const withoutUndefined = <T extends object>(value: T): T =>
  Object.fromEntries(Object.entries(value).filter(([, entry]) => entry !== undefined)) as T;

/** The networks of a container, which it joins after its creation. */
export function endpoints(inputs: ContainerInputs): { name: string; config: Docker.EndpointSettings }[] {
  return (inputs.networksAdvanced ?? []).map(({ name, aliases }) => ({
    name,
    config: { Aliases: aliases ?? [] } as Docker.EndpointSettings,
  }));
}

function hostConfig(inputs: ContainerInputs): Docker.HostConfig {
  const portBindings: Record<string, { HostIp: string; HostPort: string }[]> = {};
  for (const { internal, external, ip } of inputs.ports ?? []) {
    (portBindings[`${internal}/tcp`] ??= []).push({ HostIp: ip ?? "0.0.0.0", HostPort: String(external) });
  }
  return withoutUndefined<Docker.HostConfig>({
    NetworkMode: inputs.networkMode ?? "bridge",
    Binds: inputs.volumes?.map(({ volumeName, hostPath, containerPath, readOnly, selinuxRelabel }) =>
      [volumeName ?? hostPath, containerPath, [readOnly ? "ro" : "rw", selinuxRelabel ?? []].flat().join(",")].join(
        ":",
      ),
    ),
    ExtraHosts: inputs.hosts?.map(({ host, ip }) => `${host}:${ip}`),
    Tmpfs: inputs.tmpfs,
    ReadonlyRootfs: inputs.readOnly,
    CapDrop: inputs.capabilities?.drops,
    SecurityOpt: inputs.securityOpts,
    Memory: inputs.memory === undefined ? undefined : inputs.memory * megabyte,
    MemorySwap: inputs.memorySwap === undefined ? undefined : inputs.memorySwap < 0 ? -1 : inputs.memorySwap * megabyte,
    CpuPeriod: inputs.cpuPeriod,
    CpuQuota: inputs.cpuQuota,
    Ulimits: inputs.ulimits?.map(({ name, soft, hard }) => ({ Name: name, Soft: soft, Hard: hard })),
    LogConfig:
      inputs.logDriver === undefined && inputs.logOpts === undefined
        ? undefined
        : { Type: inputs.logDriver ?? "json-file", Config: inputs.logOpts ?? {} },
    RestartPolicy: { Name: inputs.restart ?? "no", MaximumRetryCount: 0 },
    PortBindings: portBindings,
  });
}

function healthcheck(wanted: ContainerInputs["healthcheck"]): Docker.ContainerCreateOptions["Healthcheck"] {
  if (!wanted) return undefined;
  return withoutUndefined({
    Test: wanted.tests,
    Interval: durationNanoseconds(wanted.interval),
    Timeout: durationNanoseconds(wanted.timeout),
    StartPeriod: durationNanoseconds(wanted.startPeriod),
    StartInterval: durationNanoseconds(wanted.startInterval),
    Retries: wanted.retries,
  });
}

/** Body of the request "create a container" (Docker Engine API 1.41). Absent inputs stay absent. */
export function containerBody(inputs: ContainerInputs): Docker.ContainerCreateOptions {
  return withoutUndefined<Docker.ContainerCreateOptions>({
    Image: inputs.image,
    Cmd: inputs.command,
    Entrypoint: inputs.entrypoints,
    User: inputs.user,
    Env: inputs.envs,
    Labels: labelsOf(inputs.labels),
    Healthcheck: healthcheck(inputs.healthcheck),
    ExposedPorts: inputs.ports && Object.fromEntries(inputs.ports.map(({ internal }) => [`${internal}/tcp`, {}])),
    HostConfig: hostConfig(inputs),
  });
}
