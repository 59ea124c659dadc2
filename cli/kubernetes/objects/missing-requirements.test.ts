import { ApiError, type ApiRequest } from "@routeql/host/kubernetes/client";
import { withDefaults } from "@routeql/infra/settings/reading/complete";
import type { GivenSettings } from "@routeql/infra/settings/list";
import { expect, test } from "vitest";
import { missingRequirements } from "./missing-requirements.ts";

const named = (name: string, more: object = {}): object => ({ metadata: { name, ...more } });
const isDefault = { annotations: { "storageclass.kubernetes.io/is-default-class": "true" } };

/** A cluster with everything, by path without its query. */
const whole: Readonly<Record<string, object | number>> = {
  "/version": { gitVersion: "v1.34.1" },
  "/apis": { groups: [{ name: "cilium.io" }] },
  "/apis/apps/v1/daemonsets": { items: [] },
  "/api/v1/namespaces/kube-system/pods": { items: [named("coredns")] },
  "/apis/metrics.k8s.io/v1beta1": {},
  "/apis/storage.k8s.io/v1/storageclasses": { items: [named("fast", isDefault), named("slow")] },
  "/api/v1/nodes": { items: [named("one")] },
  "/api/v1/nodes/one/proxy/configz": { kubeletconfig: { podPidsLimit: 2048 } },
  "/apis/discovery.k8s.io/v1/namespaces/default/endpointslices": { items: [{ ports: [{ port: 16_443 }] }] },
};

const lacks = (changes: Readonly<Record<string, object | number>>, given: GivenSettings = {}) => {
  const answers = { ...whole, ...changes };
  const json = <T>({ path }: ApiRequest): Promise<T> => {
    const answer = answers[path.split("?")[0]!] ?? 404;
    if (typeof answer === "number") return Promise.reject(new ApiError(answer, "{}"));
    return Promise.resolve(answer as T);
  };
  return missingRequirements({ json }, withDefaults(given, "prod"), new AbortController().signal);
};

test("a cluster with everything lacks nothing", async () => expect(await lacks({})).toEqual([]));

test.each<[string, Readonly<Record<string, object | number>>, GivenSettings, string]>([
  ["policies", { "/apis": { groups: [] } }, {}, "no network plugin that is known to enforce"],
  [
    "name servers",
    { "/api/v1/namespaces/kube-system/pods": { items: [] } },
    {},
    "no name server kube-system/k8s-app=kube-dns: set",
  ],
  [
    "a cache",
    { "/apis/apps/v1/namespaces/kube-system/daemonsets/node-local-dns": named("a") },
    {},
    "nameServers without the cache",
  ],
  ["metrics", { "/apis/metrics.k8s.io/v1beta1": 503 }, {}, "no metrics.k8s.io"],
  [
    "a default class",
    { "/apis/storage.k8s.io/v1/storageclasses": { items: [named("slow")] } },
    {},
    "no default storage class",
  ],
  ["a class", {}, { storageClass: "ssd" }, "no storage class ssd; it has fast, slow"],
  [
    "a limit",
    { "/api/v1/nodes/one/proxy/configz": { kubeletconfig: { podPidsLimit: -1 } } },
    {},
    "no limit of processes on one",
  ],
  [
    "a right",
    { "/api/v1/nodes/one/proxy/configz": 403 },
    {},
    "unknown: the limit of processes, because you may not get",
  ],
  [
    "a silent node",
    { "/api/v1/nodes/one/proxy/configz": 503 },
    {},
    "unknown: the limit of processes on one, whose kubelet does not answer",
  ],
  [
    "pods of others",
    { "/api/v1/namespaces/apps/pods": { items: [named("shop-1")] } },
    { namespace: "apps" },
    "other pods in the namespace apps, such as shop-1, whose traffic",
  ],
  ["an operator", {}, { certificateIssuer: "a" }, "no cert-manager, which certificateIssuer needs"],
])("names %s", async (_title, changes, given, expected) => {
  expect(await lacks(changes, given)).toEqual([expect.stringContaining(expected)]);
});

test("names the API server's port, which CloudNativePG reaches", async () => {
  const found = { "/apis/postgresql.cnpg.io": {} };
  expect(await lacks(found, { database: "cloudnative-pg" })).toEqual([
    "apiServerPorts without 16443, the port of this cluster's API server: add it",
  ]);
  expect(await lacks(found, { database: "cloudnative-pg", apiServerPorts: "16443" })).toEqual([]);
});

test.each([
  ["Calico", { "/apis": { groups: [{ name: "crd.projectcalico.org" }] } }],
  ["kindnet", { "/apis": { groups: [] }, "/apis/apps/v1/daemonsets": { items: [named("kindnet")] } }],
  ["K3s", { "/apis": { groups: [] }, "/version": { gitVersion: "v1.34.1+k3s1" } }],
])("%s enforces policies", async (_title, changes) => expect(await lacks(changes)).toEqual([]));
