import { z } from "zod";
import { labelInputs } from "../network.ts";

const duration = z
  .string()
  .regex(/^(\d+(\.\d+)?(ns|us|ms|s|m|h))+$/, { error: "must be a duration such as 5s, 500ms or 1m30s" });
const texts = z.array(z.string()).optional();
const whole = z.int().optional();

/** The supported inputs of docker:index/container:Container, with the real provider's names and units. */
export const containerInputs = z.strictObject({
  name: z.string().min(1, { error: "the stand-in docker provider does not generate names: set one" }),
  image: z.string(),
  command: texts,
  entrypoints: texts,
  user: z.string().optional(),
  workingDir: z.string().optional(),
  hostname: z.string().optional(),
  envs: texts,
  labels: labelInputs,
  networkMode: z.string().optional(),
  networksAdvanced: z.array(z.strictObject({ name: z.string(), aliases: texts })).optional(),
  volumes: z
    .array(
      z.strictObject({
        volumeName: z.string().optional(),
        hostPath: z.string().optional(),
        containerPath: z.string(),
        readOnly: z.boolean().optional(),
      }),
    )
    .optional(),
  tmpfs: z.record(z.string(), z.string()).optional(),
  readOnly: z.boolean().optional(),
  init: z.boolean().optional(),
  privileged: z.boolean().optional(),
  capabilities: z.strictObject({ adds: texts, drops: texts }).optional(),
  securityOpts: texts,
  /** In MB. */
  memory: whole,
  /** In MB, memory and swap together; -1 for no limit. */
  memorySwap: whole,
  cpuShares: whole,
  /** In microseconds: processor time in each period. */
  cpuPeriod: whole,
  cpuQuota: whole,
  /** In MB. */
  shmSize: whole,
  sysctls: z.record(z.string(), z.string()).optional(),
  ulimits: z.array(z.strictObject({ name: z.string(), soft: z.int(), hard: z.int() })).optional(),
  logDriver: z.string().optional(),
  logOpts: z.record(z.string(), z.string()).optional(),
  restart: z.string().optional(),
  maxRetryCount: whole,
  stopSignal: z.string().optional(),
  /** In seconds. */
  stopTimeout: whole,
  /** In seconds: time that a container has to stop before it is killed. */
  destroyGraceSeconds: whole,
  ports: z
    .array(
      z.strictObject({
        internal: z.int(),
        external: z.int().optional(),
        ip: z.string().optional(),
        protocol: z.string().optional(),
      }),
    )
    .optional(),
  healthcheck: z
    .strictObject({
      tests: z.array(z.string()),
      interval: duration.optional(),
      timeout: duration.optional(),
      startPeriod: duration.optional(),
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
        executable: z.boolean().optional(),
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
  removeVolumes: z.boolean().optional(),
});

export type ContainerInputs = z.infer<typeof containerInputs>;
