import { type RecordedResource, secretSignature } from "./record.ts";

export interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly [field: string]: unknown;
  };
  readonly [field: string]: unknown;
}

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** The API server drops an empty list. With it, each `kubectl apply` would change the object. */
const isEmptyList = (value: unknown): boolean => Array.isArray(value) && value.length === 0;

/** Sorted by name, without Pulumi's own fields and empty lists. No object may contain a secret. */
function plain(value: unknown, path: string): unknown {
  if (Array.isArray(value)) return value.map((entry, index) => plain(entry, `${path}[${index}]`));
  if (!isObject(value)) return value;
  if (secretSignature in value) throw new Error(`${path} is secret and cannot be rendered.`);
  const entries = Object.entries(value)
    .filter(([key, inner]) => inner !== undefined && !isEmptyList(inner) && !key.startsWith("pulumi.com/"))
    .map(([key, inner]) => [key, plain(inner, `${path}.${key}`)] as const)
    .filter(([key, inner]) => key !== "annotations" || !isObject(inner) || Object.keys(inner).length > 0)
    .sort(([left], [right]) => (left < right ? -1 : 1));
  return Object.fromEntries(entries);
}

/**
 * The claims of a StatefulSet as the API server completes them: Argo CD compares the list as a whole. Only here, because Pulumi would replace a
 * StatefulSet whose claims change in form.
 */
function completeClaims(fields: Record<string, unknown>): Record<string, unknown> {
  const { spec } = fields;
  if (!isObject(spec) || !Array.isArray(spec["volumeClaimTemplates"])) return fields;
  const volumeClaimTemplates = (spec["volumeClaimTemplates"] as Readonly<Record<string, unknown>>[]).map(
    ({ spec: claim, ...rest }) => ({
      apiVersion: "v1",
      kind: "PersistentVolumeClaim",
      ...rest,
      spec: { ...(claim as Readonly<Record<string, unknown>>), volumeMode: "Filesystem" },
    }),
  );
  return { ...fields, spec: { ...spec, volumeClaimTemplates } };
}

/** The Kubernetes object of a resource; undefined for other resources and for Secrets, which the cluster composes. */
export function manifestOf({ type, name, inputs }: RecordedResource): Manifest | undefined {
  if (!type.startsWith("kubernetes:") || inputs["kind"] === "Secret") return undefined;
  const { apiVersion, kind, metadata, ...fields } = plain(inputs, name) as Record<string, unknown>;
  return { apiVersion, kind, metadata, ...completeClaims(fields) } as Manifest;
}

/** Keys with which Kubernetes objects and CloudNativePG's Cluster name an image. */
const keys = new Set(["image", "imageName"]);

function collect(value: unknown, found: Set<string>): void {
  if (Array.isArray(value)) for (const entry of value) collect(entry, found);
  else if (isObject(value)) {
    for (const [key, inner] of Object.entries(value)) {
      if (keys.has(key) && typeof inner === "string") found.add(inner);
      else collect(inner, found);
    }
  }
}

export function imagesOf(manifests: readonly Manifest[]): readonly string[] {
  const found = new Set<string>();
  for (const { kind, spec } of manifests) if (kind !== "ConfigMap") collect(spec, found);
  return [...found].sort();
}
