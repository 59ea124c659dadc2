/** Requirements of a stack that its cluster does not meet: `npm run preview` prints them before anything changes. */
import { type ApiClient, ApiError } from "@routeql/host/kubernetes/client";
import { listAt, numberAt, textAt } from "@routeql/host/kubernetes/objects";
import type { PlainSettings } from "@routeql/infra/settings/list";
import { nameServersOf, portsOf } from "@routeql/infra/settings/values/cluster-network";

type Api = Pick<ApiClient, "json">;
type Check = (ask: Ask, settings: PlainSettings) => Promise<readonly string[]>;

/** The answer to a GET; `missing` also for an API that no server provides, `forbidden` without the right. */
type Ask = (path: string) => Promise<object | "missing" | "forbidden">;

function asking(api: Api, signal: AbortSignal): Ask {
  return async (path) => {
    try {
      return await api.json<object>({ method: "GET", path, signal });
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      if (error.code === 403) return "forbidden";
      if (error.code === 404 || error.code === 503) return "missing";
      throw error;
    }
  };
}

const nameIn = (object: unknown): string => textAt(object, "metadata", "name") ?? "";
const unknown = (what: string, right: string): string => `unknown: ${what}, because you may not ${right}`;

/** API groups and DaemonSets of network plugins that enforce NetworkPolicies. */
const enforcingGroups: ReadonlySet<string> = new Set([
  "cilium.io",
  "crd.projectcalico.org",
  "crd.antrea.io",
  "k8s.ovn.org",
]);
const enforcingSets = /^(anetd|antrea-agent|azure-npm|calico-node|cilium|kindnet|kube-router|ovnkube-node|weave-net)$/;

const policies: Check = async (ask) => {
  const [groups, sets] = [await ask("/apis"), await ask("/apis/apps/v1/daemonsets")];
  const version = textAt(await ask("/version"), "gitVersion") ?? "";
  const enforced =
    /\+(k3s|rke2)/.test(version) ||
    listAt(groups, "groups").some((group) => enforcingGroups.has(textAt(group, "name") ?? "")) ||
    listAt(sets, "items").some((set) => enforcingSets.test(nameIn(set)));
  if (enforced) return [];
  if (sets === "forbidden") return [unknown("whether NetworkPolicies are enforced", "list DaemonSets")];
  return [
    "no network plugin that is known to enforce NetworkPolicies: without one every pod reaches every service. Install one such as Cilium or Calico",
  ];
};

const nodeCache: Check = async (ask, { nameServers }) => {
  if (nameServersOf(nameServers).some((server) => "address" in server)) return [];
  const set = await ask("/apis/apps/v1/namespaces/kube-system/daemonsets/node-local-dns");
  return typeof set === "string"
    ? []
    : [
        "nameServers without the cache of the nodes (node-local-dns): add 169.254.20.10, or the address in /etc/resolv.conf of a pod",
      ];
};

const nameServerPods: Check = async (ask, { nameServers }) => {
  const lacks = await Promise.all(
    nameServersOf(nameServers).map(async (server) => {
      if ("address" in server) return [];
      const labels = Object.entries(server.labels)
        .map((each) => each.join("="))
        .join(",");
      const query = new URLSearchParams({ labelSelector: labels, limit: "1" });
      const pods = await ask(`/api/v1/namespaces/${server.namespace}/pods?${query.toString()}`);
      if (pods === "forbidden") return [unknown("the name servers", `list pods in ${server.namespace}`)];
      if (listAt(pods, "items").length > 0) return [];
      return [`no name server ${server.namespace}/${labels}: set nameServers`];
    }),
  );
  return lacks.flat();
};

const metrics: Check = async (ask, settings) => {
  const scaled = (["gateway", "engine", "sidecar"] as const).some(
    (name) => settings[`${name}ReplicasMost`] > settings[`${name}Replicas`],
  );
  if (!scaled || (await ask("/apis/metrics.k8s.io/v1beta1")) !== "missing") return [];
  return ["no metrics.k8s.io (metrics-server): the number of pods stays at its minimum"];
};

const isDefault = (item: unknown): boolean =>
  textAt(item, "metadata", "annotations", "storageclass.kubernetes.io/is-default-class") === "true";

const storage: Check = async (ask, { database, sessions, storageClass }) => {
  if (database === "external" && sessions === "external") return [];
  const classes = await ask("/apis/storage.k8s.io/v1/storageclasses");
  if (classes === "forbidden") return [unknown("the storage class", "list storageclasses")];
  const items = listAt(classes, "items");
  if (storageClass === undefined)
    return items.some(isDefault) ? [] : ["no default storage class: set storageClass, or make one the default"];
  return items.some((item) => nameIn(item) === storageClass)
    ? []
    : [`no storage class ${storageClass}; it has ${items.map(nameIn).join(", ") || "none"}`];
};

/** Nodes of which the configuration is read. */
const mostNodes = 20;

const processes: Check = async (ask) => {
  const nodes = await ask(`/api/v1/nodes?limit=${mostNodes}`);
  const names = listAt(nodes, "items").map(nameIn);
  const answers = await Promise.all(names.map((name) => ask(`/api/v1/nodes/${name}/proxy/configz`)));
  if (nodes === "forbidden" || answers.includes("forbidden"))
    return [unknown("the limit of processes", "get nodes/proxy")];
  const silent = names.filter((_, index) => answers[index] === "missing");
  const unlimited = names.filter(
    (name, index) => !silent.includes(name) && numberAt(answers[index], "kubeletconfig", "podPidsLimit") <= 0,
  );
  const unanswered = silent.map((name) => `unknown: the limit of processes on ${name}, whose kubelet does not answer`);
  return unlimited.length === 0
    ? unanswered
    : [
        ...unanswered,
        `no limit of processes on ${unlimited.join(", ")}: a compromised pod can use all of the node's. Set podPidsLimit: 2048 in the kubelet's configuration`,
      ];
};

/** Definitions that settings need, by API group. */
const operators: Check = async (ask, settings) => {
  const onCluster = settings.database === "cloudnative-pg";
  const needed = [
    [settings.certificateIssuer !== undefined, "cert-manager.io", "cert-manager", "certificateIssuer"],
    [onCluster, "postgresql.cnpg.io", "CloudNativePG", "database"],
    [
      onCluster && settings.backupDestination !== undefined,
      "barmancloud.cnpg.io",
      "the Barman Cloud plugin",
      "backupDestination",
    ],
    [settings.monitoring === "operator", "monitoring.coreos.com", "the Prometheus operator", "monitoring"],
  ] as const;
  const lacks = await Promise.all(
    needed.map(async ([isNeeded, group, name, setting]) =>
      isNeeded && (await ask(`/apis/${group}`)) === "missing" ? [`no ${name}, which ${setting} needs`] : [],
    ),
  );
  return lacks.flat();
};

const apiServer: Check = async (ask, { database, apiServerPorts }) => {
  if (database !== "cloudnative-pg") return [];
  const query = new URLSearchParams({ labelSelector: "kubernetes.io/service-name=kubernetes" });
  const slices = await ask(`/apis/discovery.k8s.io/v1/namespaces/default/endpointslices?${query.toString()}`);
  const open = portsOf(apiServerPorts);
  const ports = listAt(slices, "items").flatMap((slice) =>
    listAt(slice, "ports").map((port) => numberAt(port, "port")),
  );
  const closed = [...new Set(ports)].filter((port) => !open.includes(port));
  return closed.map((port) => `apiServerPorts without ${port}, the port of this cluster's API server: add it`);
};

/** Pods of a namespace that the policies would cut off; those of this project and solvers of certificates are expected there. */
const expectedPods = "app.kubernetes.io/part-of!=routeql,acme.cert-manager.io/http01-solver!=true";

const otherPods: Check = async (ask, { namespace }) => {
  // The default namespace has the stack's name.
  if (namespace === undefined) return [];
  const query = new URLSearchParams({ labelSelector: expectedPods, limit: "3" });
  const pods = await ask(`/api/v1/namespaces/${namespace}/pods?${query.toString()}`);
  if (pods === "forbidden") return [unknown("other pods in the namespace", `list pods in ${namespace}`)];
  const names = listAt(pods, "items").map(nameIn);
  if (names.length === 0) return [];
  return [
    `other pods in the namespace ${namespace}, such as ${names.join(", ")}, whose traffic the stack's network policies deny: set namespace to one of its own`,
  ];
};

const checks: readonly Check[] = [
  otherPods,
  policies,
  nameServerPods,
  nodeCache,
  apiServer,
  storage,
  metrics,
  operators,
  processes,
];

/** Ends of a sentence that begins with "the cluster has". */
export async function missingRequirements(
  api: Api,
  settings: PlainSettings,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const ask = asking(api, signal);
  return (await Promise.all(checks.map((check) => check(ask, settings)))).flat();
}
