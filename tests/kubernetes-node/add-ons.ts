import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { NodeAccess } from "./access.ts";
import { filled } from "./configuration.ts";
import { nodeName, secondNodeName } from "./layout.ts";

const volume = (name: string, path: string): object => ({
  apiVersion: "v1",
  kind: "PersistentVolume",
  metadata: { name },
  spec: {
    capacity: { storage: "100Gi" },
    accessModes: ["ReadWriteOnce"],
    persistentVolumeReclaimPolicy: "Retain",
    storageClassName: "local",
    // Both nodes see the machine's folders, so a volume can move to the second one.
    local: { path },
    nodeAffinity: {
      required: {
        nodeSelectorTerms: [
          { matchExpressions: [{ key: "kubernetes.io/hostname", operator: "In", values: [nodeName, secondNodeName] }] },
        ],
      },
    },
  },
});

/** Applies the objects of files/add-ons.yaml and creates a few volumes to claim. */
export async function applyAddOns(node: NodeAccess, volumeCount = 24): Promise<void> {
  const names = Array.from({ length: volumeCount }, (_, number) => `local-${number}`);
  const paths = names.map((name) => join(node.layout.volumes, name));
  for (const path of paths) await mkdir(path, { recursive: true });
  await node.kubectl(["apply", "--server-side", "--filename=-"], await filled("add-ons.yaml", node.layout));
  await node.apply(names.map((name, index) => volume(name, paths[index]!)));
}
