/** Fields of every Kubernetes object (API conventions, "Types (Kinds)"). */
export interface KubernetesObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: ObjectMetadata;
  readonly [field: string]: unknown;
}

export interface ObjectMetadata {
  readonly name: string;
  readonly namespace?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly generation?: number;
  readonly uid?: string;
  readonly deletionTimestamp?: string;
  readonly managedFields?: readonly { readonly manager?: string; readonly operation?: string }[];
  readonly [field: string]: unknown;
}

/** Identity of an object; the namespace only for namespaced kinds. */
export interface Reference {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly namespace?: string | undefined;
}

export interface Condition {
  readonly type: string;
  readonly status: string;
  readonly reason?: string;
  readonly message?: string;
}

/** The value at a path in an object, undefined if missing: `field(pod, "status", "phase")`. */
export function field(value: unknown, ...path: readonly string[]): unknown {
  return path.reduce<unknown>(
    (inner, name) =>
      typeof inner === "object" && inner !== null ? (inner as Record<string, unknown>)[name] : undefined,
    value,
  );
}

/** API group of an `apiVersion`; empty for the core group. */
export const groupOf = (apiVersion: string): string => (apiVersion.includes("/") ? apiVersion.split("/")[0]! : "");

export function numberAt(value: unknown, ...path: readonly string[]): number {
  const found = field(value, ...path);
  return typeof found === "number" ? found : 0;
}

export function listAt(value: unknown, ...path: readonly string[]): readonly unknown[] {
  const found = field(value, ...path);
  return Array.isArray(found) ? found : [];
}

export function textAt(value: unknown, ...path: readonly string[]): string | undefined {
  const found = field(value, ...path);
  return typeof found === "string" ? found : undefined;
}

export function conditionOf(object: unknown, type: string): Condition | undefined {
  const conditions = listAt(object, "status", "conditions") as readonly Condition[];
  return conditions.find((condition) => condition.type === type);
}

/** `Deployment routeql-prod/engine`, for messages. */
export const nameOf = ({ kind, name, namespace }: Pick<Reference, "kind" | "name" | "namespace">): string =>
  `${kind} ${namespace === undefined ? "" : `${namespace}/`}${name}`;
