import { stringify } from "yaml";
import { imagesOf } from "./images.ts";
import type { Manifest } from "./manifest.ts";

const serviceLabel = "app.kubernetes.io/name";

/** The manifest file of an object; Secrets have a separate folder, so that they are not applied by mistake. */
function fileOf({ kind, metadata }: Manifest, order: readonly string[]): string {
  if (kind === "Namespace") return "00-namespace.yaml";
  if (kind === "NetworkPolicy") return "01-network-policies.yaml";
  const service = metadata.labels?.[serviceLabel] ?? "stack";
  if (kind === "Secret") return `secrets/${service}.yaml`;
  return `${10 + Math.max(0, order.indexOf(service))}-${service}.yaml`;
}

const note = "# Placeholders, no values: fill them in, or make Secrets of these names in another way.\n";

function yamlOf(manifests: readonly Manifest[]): string {
  return manifests.map((manifest) => stringify(manifest, { lineWidth: 0, aliasDuplicateObjects: false })).join("---\n");
}

/** Order within a file: dependencies first. */
const kinds = ["ObjectStore", "Certificate", "ConfigMap", "Secret", "Cluster", "Service", "StatefulSet", "Job", "Deployment"];
const rank = ({ kind }: Manifest): number => (kinds.includes(kind) ? kinds.indexOf(kind) : kinds.length);

/** Contents by path: one file for each service in start order, and the list of images. Deterministic for equal objects. */
export function filesOf(manifests: readonly Manifest[], order: readonly string[]): ReadonlyMap<string, string> {
  const groups = Map.groupBy(manifests, (manifest) => fileOf(manifest, order));
  const files = [...groups].map(([file, group]) => {
    const sorted = group.toSorted(
      (left, right) => rank(left) - rank(right) || (`${left.kind}/${left.metadata.name}` < `${right.kind}/${right.metadata.name}` ? -1 : 1),
    );
    return [file, `${file.startsWith("secrets/") ? note : ""}${yamlOf(sorted)}`] as const;
  });
  const images = imagesOf(manifests)
    .map((image) => `${image}\n`)
    .join("");
  return new Map([...files, ["images.txt", images] as const].sort(([left], [right]) => (left < right ? -1 : 1)));
}
