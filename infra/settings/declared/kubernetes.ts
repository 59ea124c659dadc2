/** The target of the stack and settings of the target `kubernetes`: a section of the list in list.ts. */
import { oneOf, range } from "../values/checks.ts";
import { nameServers, ports, ranges } from "../values/cluster-network.ts";
import { annotations, dottedName, objectName, registry, volumeSize } from "../values/kubernetes-checks.ts";
import { podsByService } from "../values/pods.ts";
import { flag, number, text } from "../values/setting.ts";

const replicas = { structural: true, ...range(1, 100) } as const;

export const kubernetesSettings = {
  target: text({
    argument: "target",
    environment: "TARGET",
    structural: true,
    default: "docker",
    defaultIn: { prod: "kubernetes" },
    meaning: "Target: one Docker host, or a Kubernetes cluster (1.29 or newer).",
    ...oneOf("docker", "kubernetes"),
  }),
  namespace: text({
    argument: "namespace",
    environment: "KUBERNETES_NAMESPACE",
    meaning: "Kubernetes: namespace. Without it: `routeql-` and the stack's name.",
    ...objectName,
  }),
  createNamespace: flag({
    argument: "createNamespace",
    environment: "KUBERNETES_CREATE_NAMESPACE",
    structural: true,
    default: true,
    meaning: "Kubernetes: create and delete the namespace with the stack.",
  }),
  clusterDomain: text({
    argument: "clusterDomain",
    environment: "KUBERNETES_CLUSTER_DOMAIN",
    default: "cluster.local",
    meaning: "Kubernetes: DNS domain of the cluster.",
    ...dottedName,
  }),
  imageRegistry: text({
    argument: "imageRegistry",
    environment: "IMAGE_REGISTRY",
    meaning: "Kubernetes: registry of this project's images. Without it the images must be on the nodes.",
    ...registry,
  }),
  pushImages: flag({
    argument: "pushImages",
    environment: "PUSH_IMAGES",
    structural: true,
    default: false,
    meaning: "Kubernetes: build the images and push them to the registry.",
  }),
  imagePullSecret: text({
    argument: "imagePullSecret",
    environment: "IMAGE_PULL_SECRET",
    meaning: "Kubernetes: Secret with which the nodes log in to the registry.",
    ...dottedName,
  }),
  givenSecretsGeneration: number({
    argument: "givenSecretsGeneration",
    environment: "GIVEN_SECRETS_GENERATION",
    structural: true,
    default: 1,
    meaning: "Kubernetes manifests: generation of the Secret `given-secrets`; raise it after a change there.",
    ...range(1, 1000),
  }),
  gatewayService: text({
    argument: "gateway.service",
    environment: "GATEWAY_SERVICE",
    default: "LoadBalancer",
    meaning: "Kubernetes: type of the gateway's Service: LoadBalancer, NodePort or ClusterIP.",
    ...oneOf("LoadBalancer", "NodePort", "ClusterIP"),
  }),
  gatewayAnnotations: text({
    argument: "gateway.annotations",
    environment: "GATEWAY_ANNOTATIONS",
    meaning: "Kubernetes: annotations of the gateway's Service.",
    ...annotations,
  }),
  gatewayReplicas: number({
    argument: "gateway.replicas",
    environment: "GATEWAY_REPLICAS",
    default: 2,
    meaning: "Kubernetes: minimum number of gateway pods.",
    ...replicas,
  }),
  gatewayReplicasMost: number({
    argument: "gateway.replicasMost",
    environment: "GATEWAY_REPLICAS_MOST",
    default: 6,
    meaning: "Kubernetes: maximum number of gateway pods.",
    ...replicas,
  }),
  engineReplicas: number({
    argument: "engine.replicas",
    environment: "ENGINE_REPLICAS",
    default: 2,
    meaning: "Kubernetes: minimum number of engine pods.",
    ...replicas,
  }),
  engineReplicasMost: number({
    argument: "engine.replicasMost",
    environment: "ENGINE_REPLICAS_MOST",
    default: 4,
    meaning: "Kubernetes: maximum number of engine pods.",
    ...replicas,
  }),
  sidecarReplicas: number({
    argument: "authSidecar.replicas",
    environment: "SIDECAR_REPLICAS",
    default: 2,
    meaning: "Kubernetes: minimum number of auth sidecar pods.",
    ...replicas,
  }),
  sidecarReplicasMost: number({
    argument: "authSidecar.replicasMost",
    environment: "SIDECAR_REPLICAS_MOST",
    default: 3,
    meaning: "Kubernetes: maximum number of auth sidecar pods.",
    ...replicas,
  }),
  certificateIssuer: text({
    argument: "tls.certificateIssuer",
    environment: "CERTIFICATE_ISSUER",
    meaning: "Kubernetes: cert-manager issuer of the gateway's certificate.",
    ...dottedName,
  }),
  certificateIssuerKind: text({
    argument: "tls.certificateIssuerKind",
    environment: "CERTIFICATE_ISSUER_KIND",
    default: "ClusterIssuer",
    meaning: "Kubernetes: kind of that issuer: ClusterIssuer or Issuer.",
    ...oneOf("ClusterIssuer", "Issuer"),
  }),
  certificateSecret: text({
    argument: "tls.certificateSecret",
    environment: "CERTIFICATE_SECRET",
    meaning: "Kubernetes: existing Secret with the gateway's certificate and key (`tls.crt`, `tls.key`).",
    ...dottedName,
  }),
  pods: text({
    argument: "pods",
    environment: "PODS",
    structural: true,
    meaning:
      "Kubernetes: labels, annotations, node selector, tolerations, affinity, spread, priority, service account and resources of pods, for `all` or by service.",
    ...podsByService,
  }),
  ipFamilies: text({
    argument: "ipFamilies",
    environment: "IP_FAMILIES",
    meaning:
      "Kubernetes: IP families of the Services, the first one preferred. Without it: the cluster's first family.",
    ...oneOf("IPv4", "IPv6", "IPv4,IPv6", "IPv6,IPv4"),
  }),
  storageClass: text({
    argument: "storageClass",
    environment: "STORAGE_CLASS",
    meaning: "Kubernetes: storage class of the volumes.",
    ...dottedName,
  }),
  databaseStorage: text({
    argument: "database.storage",
    environment: "DATABASE_STORAGE",
    default: "20Gi",
    meaning: "Kubernetes: size of each database volume.",
    ...volumeSize,
  }),
  sessionsStorage: text({
    argument: "sessions.storage",
    environment: "SESSIONS_STORAGE",
    default: "1Gi",
    meaning: "Kubernetes: size of the session store's volume.",
    ...volumeSize,
  }),
  nameServers: text({
    argument: "nameServers",
    environment: "NAME_SERVERS",
    default: "kube-system/k8s-app=kube-dns",
    meaning: "Kubernetes: name servers that pods may reach.",
    ...nameServers,
  }),
  apiServerPorts: text({
    argument: "apiServerPorts",
    environment: "API_SERVER_PORTS",
    default: "443,6443",
    meaning: "Kubernetes: ports of the API server, for the pods of CloudNativePG and the job `secrets`.",
    ...ports,
  }),
  consoleClients: text({
    argument: "gateway.consoleClients",
    environment: "CONSOLE_CLIENTS",
    structural: true,
    meaning: "Kubernetes: address ranges that may reach the console port, or `none` to close it. Without it: all.",
    ...ranges,
  }),
  metricsNamespace: text({
    argument: "monitoring.metricsNamespace",
    environment: "METRICS_NAMESPACE",
    meaning: "Kubernetes: namespace whose pods may read metrics.",
    ...objectName,
  }),
} as const;
