import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { execa } from "execa";
import { ClusterAuthority, type Subject } from "./certificates.ts";
import * as layouts from "./layout.ts";
import { apiPort, apiServiceAddress, layoutOf, type NodeLayout } from "./layout.ts";
import type { Joined } from "./init.ts";

/** Clients of the API server. Their permissions come from the groups and users in Kubernetes' default RBAC. */
const clients = (node: string) =>
  ({
    admin: { name: "admin", group: "system:masters" },
    "controller-manager": { name: "system:kube-controller-manager" },
    scheduler: { name: "system:kube-scheduler" },
    node: { name: `system:node:${node}`, group: "system:nodes" },
    proxy: { name: "system:kube-proxy" },
  }) satisfies Record<string, Subject>;

const save = (path: string, text: string): Promise<void> => writeFile(path, text, { mode: 0o600 });

/** A file of files/ with the node's folder and the constants of layout.ts in place of `{{folder}}`, `{{dnsAddress}}` … */
export async function filled(file: string, layout: NodeLayout): Promise<string> {
  const values: Readonly<Record<string, unknown>> = { ...layouts, ...layout };
  const text = await readFile(join(import.meta.dirname, "files", file), "utf8");
  return text.replaceAll(/\{\{(\w+)\}\}/g, (_, value: string) => String(values[value]));
}

/** A kubeconfig with the pair of a client; JSON is YAML too. */
function kubeconfig(address: string, { certificates }: NodeLayout, client: string): string {
  const path = (file: string): string => join(certificates, file);
  const cluster = { server: `https://${address}:${apiPort}`, "certificate-authority": path("ca.crt") };
  const user = { "client-certificate": path(`${client}.crt`), "client-key": path(`${client}.key`) };
  const content = {
    apiVersion: "v1",
    kind: "Config",
    clusters: [{ name: "routeql-test", cluster }],
    users: [{ name: "user", user }],
    contexts: [{ name: "routeql-test", context: { cluster: "routeql-test", user: "user" } }],
    "current-context": "routeql-test",
  };
  return JSON.stringify(content, null, 2);
}

/** Pods have their own links (ptp) instead of a bridge. So the node routes traffic between pods, and can enforce network policies. */
const networkFile = "10-pods.conflist";

/** Writes the files of a node's programs: keys, kubeconfigs and configurations. The authority of a second node is the first one's. */
export async function writeConfiguration(layout: NodeLayout, address: string, joined?: Joined): Promise<void> {
  const { file, certificates, name: node } = layout;
  const folders = [
    certificates,
    layout.logs,
    layout.volumes,
    ...["etcd", "cni", "cni-state", "kubelet", "pod-logs", "containerd", "containerd-state"].map(file),
  ];
  for (const folder of folders) await mkdir(folder, { recursive: true, mode: 0o700 });
  const authority = joined
    ? await ClusterAuthority.copy(layoutOf(joined.folder).certificates, certificates)
    : await ClusterAuthority.make(certificates);
  for (const [name, subject] of Object.entries(clients(node))) {
    await authority.issue(name, name === "node" ? { ...subject, hosts: [node, address] } : subject);
    await save(file(`${name}.conf`), kubeconfig(joined?.address ?? address, layout, name));
  }
  if (!joined) await writeServerKeys(authority, layout, address);
  for (const name of ["kubelet.yaml", "containerd.toml", "resolv.conf", "proxy.yaml"])
    await save(file(name), await filled(name, layout));
  await save(file(join("cni", networkFile)), await filled(networkFile, layout));
}

/** The API server's certificate, and the key pair that signs the tokens of service accounts. */
async function writeServerKeys(
  authority: ClusterAuthority,
  { certificates }: NodeLayout,
  address: string,
): Promise<void> {
  const service = ["kubernetes", "kubernetes.default", "kubernetes.default.svc"];
  const hosts = ["localhost", ...service, `${service.at(-1)}.cluster.local`, "127.0.0.1", apiServiceAddress, address];
  await authority.issue("apiserver", { name: "kube-apiserver", hosts });
  const tokens = ["-out", join(certificates, "tokens.key")];
  await execa("openssl", ["genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256", ...tokens]);
  await execa("openssl", ["pkey", "-in", tokens[1]!, "-pubout", "-out", join(certificates, "tokens.pub")]);
}
