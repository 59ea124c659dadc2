import { join } from "node:path";
import { apiPort, type NodeLayout, nodePorts, serviceNetwork } from "./layout.ts";

/** One program of the node, started by init.ts. */
export interface Component {
  readonly name: string;
  readonly command: readonly [string, ...string[]];
  /** Address that must answer before this program starts. */
  readonly after?: "api-server" | "containerd";
  /** Only a cluster's first node runs it. */
  readonly once?: true;
}

const etcdUrl = "http://127.0.0.1:2379";

/** All programs of a node in start order. */
export function components(layout: NodeLayout, binaries: string, address: string): readonly Component[] {
  const { file, certificates } = layout;
  const program = (name: string): string => join(binaries, name);
  const key = (name: string): string => join(certificates, name);
  const kubeconfig = (name: string): string => `--kubeconfig=${file(`${name}.conf`)}`;
  return [
    {
      name: "etcd",
      once: true,
      command: [
        program("etcd"),
        `--data-dir=${file("etcd")}`,
        `--listen-client-urls=${etcdUrl}`,
        `--advertise-client-urls=${etcdUrl}`,
        "--listen-peer-urls=http://127.0.0.1:2380",
        "--log-level=warn",
        // The data need not outlive the node.
        "--unsafe-no-fsync",
      ],
    },
    {
      name: "kube-apiserver",
      once: true,
      command: [
        program("kube-apiserver"),
        `--etcd-servers=${etcdUrl}`,
        "--bind-address=0.0.0.0",
        `--advertise-address=${address}`,
        `--secure-port=${apiPort}`,
        `--tls-cert-file=${key("apiserver.crt")}`,
        `--tls-private-key-file=${key("apiserver.key")}`,
        `--client-ca-file=${key("ca.crt")}`,
        "--service-account-issuer=https://kubernetes.default.svc.cluster.local",
        `--service-account-key-file=${key("tokens.pub")}`,
        `--service-account-signing-key-file=${key("tokens.key")}`,
        `--service-cluster-ip-range=${serviceNetwork}`,
        `--service-node-port-range=${nodePorts}`,
        "--authorization-mode=Node,RBAC",
        "--enable-admission-plugins=NodeRestriction",
        "--allow-privileged=true",
        // The node's name is not in DNS.
        "--kubelet-preferred-address-types=InternalIP",
        `--kubelet-client-certificate=${key("admin.crt")}`,
        `--kubelet-client-key=${key("admin.key")}`,
      ],
    },
    { name: "containerd", command: ["containerd", "--config", file("containerd.toml")] },
    {
      name: "kube-controller-manager",
      once: true,
      after: "api-server",
      command: [
        program("kube-controller-manager"),
        kubeconfig("controller-manager"),
        "--use-service-account-credentials",
        `--service-account-private-key-file=${key("tokens.key")}`,
        `--root-ca-file=${key("ca.crt")}`,
        `--cluster-signing-cert-file=${key("ca.crt")}`,
        `--cluster-signing-key-file=${key("ca.key")}`,
        "--leader-elect=false",
      ],
    },
    {
      name: "kube-scheduler",
      once: true,
      after: "api-server",
      command: [program("kube-scheduler"), kubeconfig("scheduler"), "--leader-elect=false"],
    },
    {
      name: "kubelet",
      after: "containerd",
      command: [
        program("kubelet"),
        `--config=${file("kubelet.yaml")}`,
        kubeconfig("node"),
        `--hostname-override=${layout.name}`,
        `--node-ip=${address}`,
        `--root-dir=${file("kubelet")}`,
      ],
    },
    {
      name: "kube-proxy",
      after: "api-server",
      command: [program("kube-proxy"), `--config=${file("proxy.yaml")}`, `--hostname-override=${layout.name}`],
    },
    {
      name: "network-policies",
      after: "api-server",
      command: [process.execPath, join(import.meta.dirname, "network-policies/main.ts"), layout.adminConfig],
    },
  ];
}
