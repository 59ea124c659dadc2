import type { Manifest } from "./manifest.ts";

/** Keys with which Kubernetes objects and CloudNativePG's Cluster name an image. */
const keys = new Set(["image", "imageName"]);

function collect(value: unknown, found: Set<string>): void {
  if (Array.isArray(value)) for (const entry of value) collect(entry, found);
  else if (typeof value === "object" && value !== null) {
    for (const [key, inner] of Object.entries(value)) {
      if (keys.has(key) && typeof inner === "string") found.add(inner);
      else collect(inner, found);
    }
  }
}

/** All images of the objects, sorted. */
export function imagesOf(manifests: readonly Manifest[]): readonly string[] {
  const found = new Set<string>();
  for (const { kind, spec } of manifests) if (kind !== "ConfigMap" && kind !== "Secret") collect(spec, found);
  return [...found].sort();
}
