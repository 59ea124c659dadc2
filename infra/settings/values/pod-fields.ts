/** Fields of Kubernetes' PodSpec that the setting `pods` takes (core/v1). Unknown fields are refused. */
import { z } from "zod";

/** Name of a label, an annotation or a taint. */
export const labelName = z
  .string()
  .regex(
    /^([a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?\/)?[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$/,
    "must be a name of at most 63 letters, digits, hyphens, dots and underscores, after a prefix such as example.net/",
  );
export const objectName = z
  .string()
  .regex(/^[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?$/, "must be a name of small letters, digits, hyphens and dots");
export const labelValue = z
  .string("must be a text; put it into quotes")
  .regex(/^([A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?)?$/, "must be the value of a label, at most 63 characters");

const weight = z.number().int().min(1).max(100);
const requirement = z.strictObject({
  key: labelName,
  operator: z.enum(["In", "NotIn", "Exists", "DoesNotExist"]),
  values: z.array(labelValue).optional(),
});
const nodeRequirement = z.strictObject({
  ...requirement.shape,
  operator: z.enum(["In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt"]),
});
const selector = z.strictObject({
  matchLabels: z.record(labelName, labelValue).optional(),
  matchExpressions: z.array(requirement).optional(),
});

const nodeTerm = z.strictObject({
  matchExpressions: z.array(nodeRequirement).optional(),
  matchFields: z.array(nodeRequirement).optional(),
});
const nodeAffinity = z.strictObject({
  requiredDuringSchedulingIgnoredDuringExecution: z
    .strictObject({ nodeSelectorTerms: z.array(nodeTerm).min(1) })
    .optional(),
  preferredDuringSchedulingIgnoredDuringExecution: z.array(z.strictObject({ weight, preference: nodeTerm })).optional(),
});

const podTerm = z.strictObject({
  labelSelector: selector.optional(),
  namespaceSelector: selector.optional(),
  namespaces: z.array(objectName).optional(),
  topologyKey: labelName,
});
const podAffinity = z.strictObject({
  requiredDuringSchedulingIgnoredDuringExecution: z.array(podTerm).optional(),
  preferredDuringSchedulingIgnoredDuringExecution: z
    .array(z.strictObject({ weight, podAffinityTerm: podTerm }))
    .optional(),
});

export const affinity = z.strictObject({
  nodeAffinity: nodeAffinity.optional(),
  podAffinity: podAffinity.optional(),
  podAntiAffinity: podAffinity.optional(),
});

const effects = ["NoSchedule", "PreferNoSchedule", "NoExecute"] as const;
/** With the operator that the API server would fill in. */
export const toleration = z
  .strictObject({
    key: labelName.optional(),
    operator: z.enum(["Equal", "Exists"]).default("Equal"),
    value: labelValue.optional(),
    effect: z.enum(effects).optional(),
    tolerationSeconds: z.number().int().optional(),
  })
  .refine(({ key, operator }) => key !== undefined || operator === "Exists", "must have a key, or the operator Exists")
  .refine(
    ({ value, operator }) => value === undefined || operator === "Equal",
    "must have no value with the operator Exists",
  );

/** Without a selector: each service spreads its own pods. */
export const topologySpread = z.strictObject({
  topologyKey: labelName,
  maxSkew: z.number().int().min(1).default(1),
  whenUnsatisfiable: z.enum(["ScheduleAnyway", "DoNotSchedule"]),
  minDomains: z.number().int().min(1).optional(),
  nodeAffinityPolicy: z.enum(["Honor", "Ignore"]).optional(),
  nodeTaintsPolicy: z.enum(["Honor", "Ignore"]).optional(),
});
