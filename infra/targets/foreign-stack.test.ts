import type { dockerClient } from "@routeql/host/docker/client";
import type { Cluster } from "@routeql/host/kubernetes/cluster";
import { log } from "@pulumi/pulumi";
import { expect, test, vi } from "vitest";
import { foreignOnDocker, type OwnerCheck, ownerInCluster, ownerOnDocker } from "./foreign-stack.ts";

type Labels = Readonly<Record<string, string>>;

const claimOf = (state: string): Labels => ({
  "com.routeql.state": state,
  "com.routeql.folder": "/srv/one",
  "com.routeql.host": "alpha",
  "com.routeql.user": "anna",
});

/** A daemon with one data volume of the stack `local`, and a claim. */
function daemon(volume: Labels | undefined, claim?: Labels): ReturnType<typeof dockerClient> {
  const absent = Object.assign(new Error("no such volume"), { statusCode: 404 });
  const volumes =
    volume === undefined
      ? []
      : [{ Name: "routeql-local-database-data", Labels: { "com.routeql.stack": "local", ...volume } }];
  const fake = {
    listContainers: async () => [],
    listNetworks: async () => [],
    listVolumes: async () => ({ Volumes: volumes }),
    getVolume: () => ({ inspect: async () => (claim === undefined ? Promise.reject(absent) : { Labels: claim }) }),
  };
  return fake as unknown as ReturnType<typeof dockerClient>;
}

const messageFor = async (check: OwnerCheck, identity: string | undefined): Promise<string | undefined> =>
  (await check(identity))?.message;

test("refuses data of another state and names the checkout and the remedy", async () => {
  const docker = daemon({ "com.routeql.state": "other" }, claimOf("other"));
  const refusal = await messageFor(ownerOnDocker("local", docker), "mine");
  expect(refusal).toContain("belongs to the checkout /srv/one (host alpha, user anna): routeql-local-database-data");
  expect(refusal).toContain("npm run down -- --volumes --adopt");
});

test("refuses data of another state without a claim, also for a new state", async () => {
  const refusal = await messageFor(ownerOnDocker("local", daemon({ "com.routeql.state": "other" })), undefined);
  expect(refusal).toContain("belongs to another Pulumi state (other)");
});

test("refuses a name that a checkout has claimed", async () => {
  const refusal = await messageFor(ownerOnDocker("local", daemon(undefined, claimOf("other"))), "mine");
  expect(refusal).toContain("belongs to the checkout /srv/one");
});

test.each([
  ["no objects", daemon(undefined)],
  ["objects of this state", daemon({ "com.routeql.state": "mine" }, claimOf("mine"))],
  ["data without a label", daemon({})],
])("accepts %s", async (_, docker) => {
  expect(await messageFor(ownerOnDocker("local", docker), "mine")).toBeUndefined();
});

test("a component refuses a volume of another state, and accepts its own", async () => {
  const volume = daemon({ "com.routeql.state": "other" });
  const refusal = async (identity: string, prefix = "routeql-local"): Promise<string | undefined> =>
    (await foreignOnDocker({ stack: "local", prefix, identity }, volume))?.message;
  expect(await refusal("mine")).toContain(
    "routeql-local-database-data on this Docker daemon belongs to another Pulumi",
  );
  expect(await refusal("other")).toBeUndefined();
  expect(await refusal("mine", "shop-local")).toBeUndefined();
});

const place = { namespace: "routeql-local", instance: "routeql-local" };

/** A cluster whose namespace has these labels. */
const cluster = (labels: Labels | undefined, claim?: Labels): Cluster =>
  ({
    get: async ({ kind }: { readonly kind: string }) =>
      kind === "ConfigMap"
        ? claim && { metadata: { name: "routeql-local-claim" }, data: claim }
        : labels && { metadata: { name: "routeql-local", labels } },
    list: async () => [],
  }) as unknown as Cluster;

const inCluster = (found: Cluster): OwnerCheck => ownerInCluster("local", place, () => found);
const ofState = (state: string): Labels => ({
  "app.kubernetes.io/instance": "routeql-local",
  "com.routeql.state": state,
});

test("refuses a namespace of another state, also for a new state", async () => {
  for (const identity of ["mine", undefined])
    expect(await messageFor(inCluster(cluster(ofState("other"))), identity)).toContain(
      "The stack local in the namespace routeql-local belongs to another Pulumi state (other): routeql-local.",
    );
});

test("refuses a claimed namespace and names the checkout", async () => {
  const claim = { state: "other", folder: "/srv/one", host: "alpha", user: "anna" };
  expect(await messageFor(inCluster(cluster(undefined, claim)), "mine")).toContain("belongs to the checkout /srv/one");
});

test.each([
  ["without the namespace", cluster(undefined)],
  ["with the own namespace", cluster(ofState("mine"))],
  ["with a foreign namespace without the stack", cluster({ "com.routeql.state": "other" })],
])("accepts a cluster %s", async (_, found) => {
  expect(await messageFor(inCluster(found), "mine")).toBeUndefined();
});

test("warns of a cluster that does not answer", async () => {
  const warn = vi.spyOn(log, "warn").mockResolvedValue();
  const check = ownerInCluster("local", place, () => {
    throw new Error("no Kubernetes cluster is configured");
  });
  expect(await messageFor(check, "mine")).toBeUndefined();
  expect(warn.mock.calls[0]?.[0]).toContain("is unknown: no Kubernetes cluster is configured");
});
