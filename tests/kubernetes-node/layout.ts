import { join } from "node:path";

/** Addresses inside the nodes' network namespaces; the machine sees only the links' own pairs. */
export const podNetwork = "10.244.0.0/16";
export const serviceNetwork = "10.96.0.0/16";
/** The first address of the services' network belongs to the API server. */
export const apiServiceAddress = "10.96.0.1";
export const dnsAddress = "10.96.0.10";
export const apiPort = 6443;
export const nodePorts = "30000-32767";
export const nodeName = "routeql-node";
export const secondNodeName = "routeql-node-2";
export const pauseImage = "routeql.test/pause:1";
export const dnsImage = "routeql.test/coredns:1";

/** All files of one node are in one folder, which is deleted with it. */
export interface NodeLayout {
  readonly folder: string;
  readonly name: string;
  /** First three numbers of its pods' addresses. */
  readonly podPrefix: string;
  readonly certificates: string;
  readonly logs: string;
  /** Short, because a socket's path has at most 107 bytes (unix(7)). */
  readonly containerdSocket: string;
  readonly adminConfig: string;
  readonly volumes: string;
  readonly file: (name: string) => string;
}

export function layoutOf(folder: string, name = nodeName): NodeLayout {
  return {
    folder,
    name,
    podPrefix: name === nodeName ? "10.244.0" : "10.244.1",
    certificates: join(folder, "pki"),
    logs: join(folder, "logs"),
    containerdSocket: join(folder, "containerd.sock"),
    adminConfig: join(folder, "admin.conf"),
    volumes: join(folder, "volumes"),
    file: (file) => join(folder, file),
  };
}

/** The second node of a cluster, in a folder of the first one. */
export const secondLayoutOf = (folder: string): NodeLayout => layoutOf(join(folder, "2"), secondNodeName);
