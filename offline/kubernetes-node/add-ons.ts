import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { dnsAddress, dnsImage, type NodeLayout, nodeName } from "./layout.ts";

const dnsLabels = { "k8s-app": "kube-dns" };

const corefile = `.:53 {
  errors
  health :8080
  ready :8181
  kubernetes cluster.local in-addr.arpa ip6.arpa {
    pods insecure
    ttl 5
  }
  cache 5
}
`;

/** Cluster DNS in the usual form: pods in kube-system with the label k8s-app=kube-dns behind the Service kube-dns. */
const dns: readonly object[] = [
  { apiVersion: "v1", kind: "ServiceAccount", metadata: { name: "coredns", namespace: "kube-system" } },
  {
    apiVersion: "rbac.authorization.k8s.io/v1",
    kind: "ClusterRole",
    metadata: { name: "system:coredns" },
    rules: [
      { apiGroups: [""], resources: ["endpoints", "services", "pods", "namespaces"], verbs: ["list", "watch"] },
      { apiGroups: ["discovery.k8s.io"], resources: ["endpointslices"], verbs: ["list", "watch"] },
    ],
  },
  {
    apiVersion: "rbac.authorization.k8s.io/v1",
    kind: "ClusterRoleBinding",
    metadata: { name: "system:coredns" },
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "system:coredns" },
    subjects: [{ kind: "ServiceAccount", name: "coredns", namespace: "kube-system" }],
  },
  {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name: "coredns", namespace: "kube-system" },
    data: { Corefile: corefile },
  },
  {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name: "coredns", namespace: "kube-system", labels: dnsLabels },
    spec: {
      replicas: 1,
      selector: { matchLabels: dnsLabels },
      template: {
        metadata: { labels: dnsLabels },
        spec: {
          serviceAccountName: "coredns",
          dnsPolicy: "Default",
          // The drain test makes the node unschedulable.
          tolerations: [{ operator: "Exists" }],
          priorityClassName: "system-cluster-critical",
          containers: [
            {
              name: "coredns",
              image: dnsImage,
              imagePullPolicy: "Never",
              args: ["-conf", "/etc/coredns/Corefile"],
              ports: [
                { name: "dns", containerPort: 53, protocol: "UDP" },
                { name: "dns-tcp", containerPort: 53, protocol: "TCP" },
              ],
              readinessProbe: { httpGet: { path: "/ready", port: 8181 }, periodSeconds: 1 },
              volumeMounts: [{ name: "configuration", mountPath: "/etc/coredns", readOnly: true }],
            },
          ],
          volumes: [{ name: "configuration", configMap: { name: "coredns" } }],
        },
      },
    },
  },
  {
    apiVersion: "v1",
    kind: "Service",
    metadata: { name: "kube-dns", namespace: "kube-system", labels: dnsLabels },
    spec: {
      clusterIP: dnsAddress,
      selector: dnsLabels,
      ports: [
        { name: "dns", port: 53, protocol: "UDP" },
        { name: "dns-tcp", port: 53, protocol: "TCP" },
      ],
    },
  },
];

const proxyRights = {
  apiVersion: "rbac.authorization.k8s.io/v1",
  kind: "ClusterRoleBinding",
  metadata: { name: "routeql-test:node-proxier" },
  roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "system:node-proxier" },
  subjects: [{ apiGroup: "rbac.authorization.k8s.io", kind: "User", name: "system:kube-proxy" }],
};

const storageClass = {
  apiVersion: "storage.k8s.io/v1",
  kind: "StorageClass",
  metadata: { name: "local", annotations: { "storageclass.kubernetes.io/is-default-class": "true" } },
  provisioner: "kubernetes.io/no-provisioner",
  volumeBindingMode: "WaitForFirstConsumer",
};

const volume = (name: string, path: string): object => ({
  apiVersion: "v1",
  kind: "PersistentVolume",
  metadata: { name },
  spec: {
    capacity: { storage: "100Gi" },
    accessModes: ["ReadWriteOnce"],
    persistentVolumeReclaimPolicy: "Retain",
    storageClassName: "local",
    local: { path },
    nodeAffinity: {
      required: {
        nodeSelectorTerms: [
          { matchExpressions: [{ key: "kubernetes.io/hostname", operator: "In", values: [nodeName] }] },
        ],
      },
    },
  },
});

/** A cluster's objects besides its programs: permissions of kube-proxy, DNS, and a few volumes to claim. */
export async function addOns({ volumes }: NodeLayout, volumeCount = 12): Promise<readonly object[]> {
  const names = Array.from({ length: volumeCount }, (_, number) => `local-${number}`);
  for (const name of names) await mkdir(join(volumes, name), { recursive: true });
  return [proxyRights, ...dns, storageClass, ...names.map((name) => volume(name, join(volumes, name)))];
}
