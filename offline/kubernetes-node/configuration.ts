import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { ClusterAuthority, type KeyPair, type Subject, tokenKeys } from "./certificates.ts";
import { apiPort, apiServiceAddress, dnsAddress, type NodeLayout, nodeName, pauseImage, podNetwork } from "./layout.ts";

/** Clients of the API server. Their permissions come from the groups and users in Kubernetes' default RBAC. */
const clients = {
  admin: { name: "admin", group: "system:masters" },
  "controller-manager": { name: "system:kube-controller-manager" },
  scheduler: { name: "system:kube-scheduler" },
  node: { name: `system:node:${nodeName}`, group: "system:nodes" },
  proxy: { name: "system:kube-proxy" },
} as const satisfies Record<string, Subject>;

const save = (path: string, text: string): Promise<void> => writeFile(path, text, { mode: 0o600 });

/** A kubeconfig; JSON is YAML too. */
function kubeconfig(address: string, authority: KeyPair, { certificate, privateKey }: KeyPair): string {
  const base64 = (text: string): string => Buffer.from(text).toString("base64");
  const content = {
    apiVersion: "v1",
    kind: "Config",
    clusters: [
      {
        name: "routeql-test",
        cluster: {
          server: `https://${address}:${apiPort}`,
          "certificate-authority-data": base64(authority.certificate),
        },
      },
    ],
    users: [
      { name: "user", user: { "client-certificate-data": base64(certificate), "client-key-data": base64(privateKey) } },
    ],
    contexts: [{ name: "routeql-test", context: { cluster: "routeql-test", user: "user" } }],
    "current-context": "routeql-test",
  };
  return JSON.stringify(content, null, 2);
}

function kubeletConfiguration({ file, certificates, containerdSocket }: NodeLayout): object {
  return {
    apiVersion: "kubelet.config.k8s.io/v1beta1",
    kind: "KubeletConfiguration",
    authentication: {
      anonymous: { enabled: false },
      webhook: { enabled: true },
      x509: { clientCAFile: join(certificates, "ca.crt") },
    },
    authorization: { mode: "Webhook" },
    tlsCertFile: join(certificates, "node.crt"),
    tlsPrivateKeyFile: join(certificates, "node.key"),
    clusterDNS: [dnsAddress],
    clusterDomain: "cluster.local",
    resolvConf: file("resolv.conf"),
    cgroupDriver: "cgroupfs",
    failSwapOn: false,
    failCgroupV1: false,
    containerRuntimeEndpoint: `unix://${containerdSocket}`,
    // The disk belongs to the machine, so its usage does not matter here.
    evictionHard: { "memory.available": "100Mi", "nodefs.available": "1%", "imagefs.available": "1%" },
    imageGCHighThresholdPercent: 100,
    imageGCLowThresholdPercent: 99,
    localStorageCapacityIsolation: false,
    enforceNodeAllocatable: [],
    maxPods: 60,
    // Short intervals, so that tests do not wait long for a change of a Secret or a probe.
    syncFrequency: "10s",
  };
}

/** AppArmor and the score of the out-of-memory killer belong to the machine's kernel, so they stay unchanged. */
function containerdConfiguration({ file, containerdSocket }: NodeLayout): string {
  return `version = 2
root = "${file("containerd")}"
state = "${file("containerd-state")}"
disabled_plugins = ["io.containerd.snapshotter.v1.btrfs", "io.containerd.snapshotter.v1.zfs", "io.containerd.snapshotter.v1.aufs", "io.containerd.snapshotter.v1.devmapper"]
[grpc]
  address = "${containerdSocket}"
[plugins."io.containerd.grpc.v1.cri"]
  sandbox_image = "${pauseImage}"
  restrict_oom_score_adj = true
  disable_apparmor = true
  [plugins."io.containerd.grpc.v1.cri".cni]
    bin_dir = "/usr/lib/cni"
    conf_dir = "${file("cni")}"
  [plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc]
    runtime_type = "io.containerd.runc.v2"
`;
}

/** Pods have their own links (ptp) instead of a bridge. So the node routes traffic between pods, and can enforce network policies. */
function networkConfiguration(folder: string): object {
  return {
    cniVersion: "1.0.0",
    name: "pods",
    plugins: [
      {
        type: "ptp",
        ipMasq: true,
        ipam: {
          type: "host-local",
          dataDir: join(folder, "cni-state"),
          ranges: [[{ subnet: podNetwork }]],
          routes: [{ dst: "0.0.0.0/0" }],
        },
      },
      { type: "portmap", capabilities: { portMappings: true } },
    ],
  };
}

/** Writes the files of a node's programs: keys, kubeconfigs and configurations. */
export async function writeConfiguration(layout: NodeLayout, address: string): Promise<void> {
  const { file, certificates } = layout;
  const folders = [
    certificates,
    layout.logs,
    layout.volumes,
    ...["etcd", "cni", "cni-state", "kubelet", "containerd", "containerd-state"].map(file),
  ];
  for (const folder of folders) await mkdir(folder, { recursive: true, mode: 0o700 });
  const authority = await ClusterAuthority.make();
  const authorityPair = await authority.pair();
  const savePair = async (name: string, { certificate, privateKey }: KeyPair): Promise<void> => {
    await save(join(certificates, `${name}.crt`), certificate);
    await save(join(certificates, `${name}.key`), privateKey);
  };
  await savePair("ca", authorityPair);
  const serviceNames = [
    "kubernetes",
    "kubernetes.default",
    "kubernetes.default.svc",
    "kubernetes.default.svc.cluster.local",
  ];
  await savePair(
    "apiserver",
    await authority.issue({
      name: "kube-apiserver",
      hosts: ["localhost", ...serviceNames, "127.0.0.1", apiServiceAddress, address],
    }),
  );
  const tokens = await tokenKeys();
  await save(join(certificates, "tokens.key"), tokens.privateKey);
  await save(join(certificates, "tokens.pub"), tokens.publicKey);
  for (const [name, subject] of Object.entries(clients)) {
    const pair = await authority.issue(name === "node" ? { ...subject, hosts: [nodeName, address] } : subject);
    await savePair(name, pair);
    await save(file(`${name}.conf`), kubeconfig(address, authorityPair, pair));
  }
  await save(file("kubelet.json"), JSON.stringify(kubeletConfiguration(layout)));
  await save(file("containerd.toml"), containerdConfiguration(layout));
  await save(file("cni/10-pods.conflist"), JSON.stringify(networkConfiguration(layout.folder)));
  // The cluster does not resolve external names.
  await save(file("resolv.conf"), "nameserver 127.0.0.1\n");
  await save(
    file("proxy.json"),
    JSON.stringify({
      apiVersion: "kubeproxy.config.k8s.io/v1alpha1",
      kind: "KubeProxyConfiguration",
      clientConnection: { kubeconfig: file("proxy.conf") },
      mode: "nftables",
      clusterCIDR: podNetwork,
      conntrack: { maxPerCore: 0, min: 0 },
    }),
  );
}
