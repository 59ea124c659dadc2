import { field, groupOf } from "@routeql/host/kubernetes/objects";
import { canonical, isObject, isUnknown } from "../../shared/values.ts";
import type { TypeOfToken } from "./desired.ts";

/** A path to a value within an object: field names and list indexes. */
export type Path = readonly string[];

/** The smallest differing paths of two values. Fields without a value do not count, and an unknown value differs from every other. */
export function differences(left: unknown, right: unknown, path: Path = []): Path[] {
  if (isUnknown(right) || isUnknown(left)) return [path];
  if (isObject(left) && isObject(right)) {
    const names = new Set([...Object.keys(left), ...Object.keys(right)]);
    return [...names].flatMap((name) => differences(left[name], right[name], [...path, name]));
  }
  if (Array.isArray(left) && Array.isArray(right) && left.length === right.length) {
    return left.flatMap((entry, index) => differences(entry, right[index], [...path, String(index)]));
  }
  return canonical(left ?? null) === canonical(right ?? null) ? [] : [path];
}

/** Paths of every plain value, empty list and empty object within a value. */
export function leaves(value: unknown, path: Path = []): Path[] {
  if (value === undefined || value === null) return [];
  const entries = isObject(value)
    ? Object.entries(value)
    : Array.isArray(value)
      ? value.map((entry, index) => [String(index), entry] as const)
      : [];
  return entries.length === 0 ? [path] : entries.flatMap(([name, entry]) => leaves(entry, [...path, name]));
}

export function hasUnknown(value: unknown): boolean {
  if (Array.isArray(value)) return value.some(hasUnknown);
  return isObject(value) ? Object.values(value).some(hasUnknown) : isUnknown(value);
}

/** Differences between two states among the fields that a program declares, `inputs`; others may add fields. */
export function differencesAmong(inputs: readonly unknown[], left: unknown, right: unknown): Path[] {
  const paths = new Map(inputs.flatMap((input) => leaves(input)).map((path) => [path.join("\0"), path]));
  return [...paths.values()].filter(
    (path) => canonical(field(left, ...path) ?? null) !== canonical(field(right, ...path) ?? null),
  );
}

export const pathText = (path: Path): string => path.join(".");

const always = ["metadata.name", "metadata.namespace"];

/** By group and kind; the same fields as in the official provider (pulumi-kubernetes, provider/pkg/provider/diff.go). */
const byKind: Readonly<Record<string, readonly string[]>> = {
  "apps/Deployment": ["spec.selector"],
  "apps/StatefulSet": [
    "spec.podManagementPolicy",
    "spec.revisionHistoryLimit",
    "spec.selector",
    "spec.serviceName",
    "spec.volumeClaimTemplates",
  ],
  "batch/Job": ["spec.completions", "spec.parallelism", "spec.selector", "spec.template"],
  "/ConfigMap": ["binaryData", "data"],
  "/Secret": ["type", "stringData", "data"],
  "/Service": ["spec.clusterIP"],
  "/PersistentVolumeClaim": ["spec.accessModes", "spec.selector", "spec.storageClassName", "spec.volumeName"],
  "rbac.authorization.k8s.io/RoleBinding": ["roleRef"],
};

function replacingFields({ apiVersion, kind }: TypeOfToken): readonly string[] {
  return [...always, ...(byKind[`${groupOf(apiVersion)}/${kind}`] ?? [])];
}

/** The changed paths within such fields. */
export function replacingPaths(type: TypeOfToken, changed: readonly Path[]): string[] {
  const fields = replacingFields(type);
  return changed
    .map(pathText)
    .filter((path) =>
      fields.some((name) => path === name || path.startsWith(`${name}.`) || name.startsWith(`${path}.`)),
    );
}
