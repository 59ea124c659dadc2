/** The target of the stack and settings of the target `kubernetes`: a section of the list in list.ts. */
import { oneOf, range } from "../values/checks.ts";
import {
  annotations,
  dottedName,
  labelList,
  moreLabels,
  objectName,
  registry,
  tolerations,
  volumeSize,
} from "../values/kubernetes-checks.ts";
import { flag, number, text } from "../values/setting.ts";

const replicas = { structural: true, ...range(1, 100) } as const;

export const kubernetesSettings = {
  target: text({
    structural: true,
    default: "docker",
    defaultIn: { prod: "kubernetes" },
    meaning: "Target: one Docker host, or a Kubernetes cluster (1.29 or newer).",
    ...oneOf("docker", "kubernetes"),
  }),
  namespace: text({
    environment: "KUBERNETES_NAMESPACE",
    meaning: "Kubernetes: namespace. Without it: `routeql-` and the stack's name.",
    ...objectName,
  }),
  createNamespace: flag({
    structural: true,
    environment: "KUBERNETES_CREATE_NAMESPACE",
    default: true,
    meaning: "Kubernetes: create and delete the namespace with the stack.",
  }),
  clusterDomain: text({
    environment: "KUBERNETES_CLUSTER_DOMAIN",
    default: "cluster.local",
    meaning: "Kubernetes: DNS domain of the cluster.",
    ...dottedName,
  }),
  imageRegistry: text({
    meaning: "Kubernetes: registry of this project's images. Without it the images must be on the nodes.",
    ...registry,
  }),
  pushImages: flag({
    structural: true,
    default: false,
    meaning: "Kubernetes: build the images and push them to the registry.",
  }),
  imagePullSecret: text({ meaning: "Kubernetes: Secret with which the nodes log in to the registry.", ...dottedName }),
  gatewayService: text({
    default: "LoadBalancer",
    meaning: "Kubernetes: type of the gateway's Service: LoadBalancer, NodePort or ClusterIP.",
    ...oneOf("LoadBalancer", "NodePort", "ClusterIP"),
  }),
  gatewayAnnotations: text({ meaning: "Kubernetes: annotations of the gateway's Service.", ...annotations }),
  gatewayReplicas: number({ default: 2, meaning: "Kubernetes: minimum number of gateway pods.", ...replicas }),
  gatewayReplicasMost: number({ default: 6, meaning: "Kubernetes: maximum number of gateway pods.", ...replicas }),
  engineReplicas: number({ default: 2, meaning: "Kubernetes: minimum number of engine pods.", ...replicas }),
  engineReplicasMost: number({ default: 4, meaning: "Kubernetes: maximum number of engine pods.", ...replicas }),
  sidecarReplicas: number({ default: 2, meaning: "Kubernetes: minimum number of auth sidecar pods.", ...replicas }),
  sidecarReplicasMost: number({ default: 3, meaning: "Kubernetes: maximum number of auth sidecar pods.", ...replicas }),
  certificateIssuer: text({ meaning: "Kubernetes: cert-manager issuer of the gateway's certificate.", ...dottedName }),
  certificateIssuerKind: text({
    default: "ClusterIssuer",
    meaning: "Kubernetes: kind of that issuer: ClusterIssuer or Issuer.",
    ...oneOf("ClusterIssuer", "Issuer"),
  }),
  certificateSecret: text({
    meaning: "Kubernetes: existing Secret with the gateway's certificate and key (`tls.crt`, `tls.key`).",
    ...dottedName,
  }),
  podLabels: text({ structural: true, meaning: "Kubernetes: further labels of all pods.", ...moreLabels }),
  podAnnotations: text({ structural: true, meaning: "Kubernetes: annotations of all pods.", ...annotations }),
  podNodeSelector: text({ structural: true, meaning: "Kubernetes: labels of the nodes for all pods.", ...labelList }),
  podTolerations: text({ structural: true, meaning: "Kubernetes: taints that all pods tolerate.", ...tolerations }),
  podPriorityClass: text({
    structural: true,
    meaning: "Kubernetes: PriorityClass of pods with data, which keeps their room on a full node.",
    ...dottedName,
  }),
  storageClass: text({ meaning: "Kubernetes: storage class of the volumes.", ...dottedName }),
  databaseStorage: text({ default: "20Gi", meaning: "Kubernetes: size of each database volume.", ...volumeSize }),
  sessionsStorage: text({ default: "1Gi", meaning: "Kubernetes: size of the session store's volume.", ...volumeSize }),
  metricsNamespace: text({ meaning: "Kubernetes: namespace whose pods may read metrics.", ...objectName }),
} as const;
