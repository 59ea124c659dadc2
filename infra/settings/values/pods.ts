/** Settings of pods by service, in Kubernetes' own form: the setting `pods`. */
import { nearest } from "@routeql/metadata/nearest";
import { YamlFile } from "@routeql/metadata/read/yaml";
import { z } from "zod";
import type { Checked } from "./checks.ts";
import { podServices } from "./service-names.ts";
import { affinity, labelName, labelValue, objectName, toleration, topologySpread } from "./pod-fields.ts";

const sections = ["all", ...podServices] as const;

const withSizes = (message: string, parse: (text: string) => number | undefined) =>
  z.union([z.string(), z.number()], message).transform((value, context) => {
    const size = parse(String(value));
    if (size !== undefined) return size;
    context.addIssue({ code: "custom", message: `${message}, not ${JSON.stringify(value)}` });
    return z.NEVER;
  });

/** `250m` or `0.25` → 250 */
function millicores(text: string): number | undefined {
  const [, number = "", unit = ""] = /^(\d{1,6}|\d{1,3}\.\d{1,3})(m?)$/.exec(text) ?? [];
  const value = Math.round(unit === "m" ? Number(number) : Number(number) * 1000);
  return number === "" || value === 0 || (unit === "m" && number.includes(".")) ? undefined : value;
}

/** `1Gi` → 1024 */
function mebibytes(text: string): number | undefined {
  const [, number = "", unit = ""] = /^([1-9]\d{0,6})(Mi|Gi)$/.exec(text) ?? [];
  return number === "" ? undefined : Number(number) * (unit === "Gi" ? 1024 : 1);
}

const cpu = withSizes("must be processors such as 500m or 2", millicores);
const memory = withSizes("must be a size such as 512Mi or 2Gi", mebibytes);
/** Labels by which the stack selects its own pods. */
const ownLabel = /^(app\.kubernetes\.io\/|com\.routeql\.|cnpg\.io\/)/;
const texts = z.record(labelName, z.string());

const section = z.strictObject({
  labels: z
    .record(
      labelName.refine((name) => !ownLabel.test(name), "must not be one of the stack's own labels"),
      labelValue,
    )
    .optional(),
  annotations: texts.optional(),
  nodeSelector: z.record(labelName, labelValue).optional(),
  tolerations: z.array(toleration).optional(),
  affinity: affinity.optional(),
  topologySpreadConstraints: z.array(topologySpread).optional(),
  priorityClassName: objectName.optional(),
  serviceAccountName: objectName.optional(),
  resources: z
    .strictObject({
      requests: z.strictObject({ cpu: cpu.optional(), memory: memory.optional() }).optional(),
      limits: z
        .strictObject({ cpu: z.union([z.literal("none"), cpu]).optional(), memory: memory.optional() })
        .optional(),
    })
    .optional(),
});
const pods = z.partialRecord(z.enum(sections), section);

/** Settings of one service's pods. Processors in millicores, memory in MiB. */
export type PodSettings = z.infer<typeof section>;
export type PodService = (typeof podServices)[number];
type Pods = z.infer<typeof pods>;

function unknownKey(path: readonly PropertyKey[], key: string): string {
  const known = path.length === 0 ? sections : path.length === 1 ? Object.keys(section.shape) : [];
  const guess = nearest(key, known);
  const meant = guess === undefined ? (known.length > 0 ? `; use ${known.join(", ")}` : "") : `; is ${guess} meant?`;
  return `has the unknown key ${[...path, key].join(".")}${meant}`;
}

function problemOf(issue: z.core.$ZodIssue): string {
  const { path, message } = issue;
  if (issue.code === "unrecognized_keys") return unknownKey(path, issue.keys[0] ?? "");
  if (issue.code === "invalid_key" && path.length === 1) return unknownKey([], String(path[0]));
  if (issue.code === "invalid_union") {
    const inner = issue.errors.flat().find(({ code }) => code === "custom");
    if (inner !== undefined) return `has at ${path.join(".")} a value that ${inner.message}`;
  }
  if (issue.code === "invalid_key")
    return `has the key ${path.join(".")}, which ${issue.issues[0]?.message ?? message}`;
  return `has at ${path.join(".")} a value that ${message.replace(/^Invalid input: expected /, "must be of the type ")}`;
}

type Reading = { readonly pods: Pods } | { readonly problem: string };

/** Reads YAML or JSON. */
function readPods(text: string): Reading {
  const { value, problem } = new YamlFile(text).read();
  if (problem !== undefined) return { problem: `is not readable: ${problem.reason}` };
  if (typeof value !== "object" || value === null || Array.isArray(value))
    return { problem: `must hold settings by service, such as {"engine":{"resources":{"requests":{"cpu":"500m"}}}}` };
  const parsed = pods.safeParse(value);
  return parsed.success ? { pods: parsed.data } : { problem: parsed.error.issues.map(problemOf).join("; ") };
}

export const podsByService: Checked = {
  check(text) {
    const reading = readPods(text);
    return "problem" in reading ? reading.problem : undefined;
  },
  allowed: "settings by service in Kubernetes' form",
};

/** Those of a service over those of all. Labels and other fields with names join; lists and affinity replace. */
function joined(all: PodSettings, own: PodSettings): PodSettings {
  const join = <Value extends object>(one: Value | undefined, other: Value | undefined) =>
    one === undefined && other === undefined ? {} : { ...one, ...other };
  return {
    ...all,
    ...own,
    labels: join(all.labels, own.labels),
    annotations: join(all.annotations, own.annotations),
    nodeSelector: join(all.nodeSelector, own.nodeSelector),
    resources: {
      requests: join(all.resources?.requests, own.resources?.requests),
      limits: join(all.resources?.limits, own.resources?.limits),
    },
  };
}

export type PodsOf = (service: string) => PodSettings;

/** Settings of each service's pods. @param text of a valid setting */
export function podsOf(text: string | undefined): PodsOf {
  const reading: Reading = text === undefined ? { pods: {} } : readPods(text);
  if ("problem" in reading) throw new Error(`The setting pods ${reading.problem}`);
  const { all = {}, ...services } = reading.pods;
  return (service) => joined(all, services[service as PodService] ?? {});
}
