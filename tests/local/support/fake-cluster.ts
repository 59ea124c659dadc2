/** An API server in memory for the kubernetes provider: it stores objects, and reports Deployments and Jobs as ready when the test says so. */
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import type { KubernetesObject } from "@routeql/host/kubernetes/objects";

const kinds: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  "/api/v1": { configmaps: "ConfigMap", secrets: "Secret", services: "Service" },
  "/apis/apps/v1": { deployments: "Deployment" },
  "/apis/batch/v1": { jobs: "Job" },
  "/apis/networking.k8s.io/v1": { networkpolicies: "NetworkPolicy" },
};

export interface FakeCluster extends AsyncDisposable {
  /** Path of a kubeconfig for it. */
  readonly kubeconfig: string;
  /** Whether workloads become ready; a held one makes an update wait. */
  holds: boolean;
  /** The objects of a kind. */
  all(kind: string): KubernetesObject[];
}

export async function fakeCluster(): Promise<FakeCluster> {
  const objects = new Map<string, KubernetesObject>();
  let generation = 0;
  const withStatus = (object: KubernetesObject): KubernetesObject => {
    if (cluster.holds || !/^(Deployment|Job)$/.test(object.kind)) return object;
    const one = {
      observedGeneration: object.metadata.generation,
      replicas: 1,
      updatedReplicas: 1,
      availableReplicas: 1,
    };
    return { ...object, status: { ...one, conditions: [{ type: "Complete", status: "True" }] } };
  };
  const answer = (method: string, url: URL, body: string): unknown => {
    const found = kinds[url.pathname];
    if (found) return { resources: Object.entries(found).map(([name, kind]) => ({ name, kind, namespaced: true })) };
    const stored = objects.get(url.pathname);
    if (method === "PATCH") {
      const given = JSON.parse(body) as KubernetesObject;
      const managedFields = [{ manager: "pulumi-kubernetes", operation: "Apply" }];
      generation += 1;
      const uid = stored?.metadata.uid ?? `uid-${generation}`;
      const object = { ...given, metadata: { ...given.metadata, uid, generation, managedFields } };
      if (!url.searchParams.has("dryRun")) objects.set(url.pathname, object);
      return withStatus(object);
    }
    if (method === "DELETE") objects.delete(url.pathname);
    return stored && withStatus(stored);
  };
  const server = createServer((request, response) => {
    void (async () => {
      const result = answer(request.method ?? "", new URL(request.url ?? "", "http://cluster"), await text(request));
      response.writeHead(result === undefined ? 404 : 200).end(JSON.stringify(result ?? { message: "not found" }));
    })();
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as { port: number };
  const folder = await mkdtemp(join(tmpdir(), "routeql-cluster-"));
  const cluster: FakeCluster = {
    kubeconfig: join(folder, "config"),
    holds: false,
    all: (kind) => [...objects.values()].filter((object) => object.kind === kind),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
  const named = { name: "fake" };
  await writeFile(
    cluster.kubeconfig,
    JSON.stringify({
      apiVersion: "v1",
      kind: "Config",
      "current-context": "fake",
      clusters: [{ ...named, cluster: { server: `http://127.0.0.1:${port}`, "insecure-skip-tls-verify": true } }],
      users: [{ ...named, user: {} }],
      contexts: [{ ...named, context: { cluster: "fake", user: "fake" } }],
    }),
  );
  return cluster;
}
