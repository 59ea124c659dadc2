/**
 * The target of the stack, and settings of the target `kubernetes`: a section of the list in list.ts. docs/operate/kubernetes.md has
 * examples.
 * @module
 */
import { oneOf, range } from "./checks.ts";
import { annotations, dottedName, objectName, registry, volumeSize } from "./kubernetes-checks.ts";
import { flag, number, text } from "./setting.ts";

const replicas = range(1, 100);

export const kubernetesSettings = {
  target: text({
    default: "docker",
    defaultIn: { prod: "kubernetes" },
    meaning: "Target of the stack: one Docker host, or a Kubernetes cluster (1.29 or newer).",
    ...oneOf("docker", "kubernetes"),
  }),
  namespace: text({
    environment: "KUBERNETES_NAMESPACE",
    meaning: "Kubernetes: namespace of the stack. By default `routeql-` and the stack's name.",
    ...objectName,
  }),
  createNamespace: flag({
    environment: "KUBERNETES_CREATE_NAMESPACE",
    default: true,
    meaning: "Kubernetes: create (and delete) the namespace with the stack. If false, it must exist.",
  }),
  clusterDomain: text({
    environment: "KUBERNETES_CLUSTER_DOMAIN",
    default: "cluster.local",
    meaning: "Kubernetes: DNS domain of the cluster.",
    ...dottedName,
  }),
  imageRegistry: text({
    meaning:
      "Kubernetes: registry of this project's images, `<registry>/routeql/<image>:<hash>`. Without it the images must be on the nodes.",
    ...registry,
  }),
  pushImages: flag({
    default: false,
    meaning: "Kubernetes: build the images with Docker and push them to the registry. If false, they must exist there.",
  }),
  imagePullSecret: text({ meaning: "Kubernetes: Secret with which the nodes log in to the registry.", ...dottedName }),
  gatewayService: text({
    default: "LoadBalancer",
    meaning:
      "Kubernetes: type of the gateway's Service. With NodePort the three ports must be in the cluster's node port range.",
    ...oneOf("LoadBalancer", "NodePort", "ClusterIP"),
  }),
  gatewayAnnotations: text({
    meaning: "Kubernetes: annotations of the gateway's Service, for example to select a cloud's load balancer.",
    ...annotations,
  }),
  gatewayReplicas: number({ default: 2, meaning: "Kubernetes: minimum number of gateway pods.", ...replicas }),
  gatewayReplicasMost: number({
    default: 6,
    meaning: "Kubernetes: maximum number of gateway pods. If it exceeds the minimum, the number follows the load.",
    ...replicas,
  }),
  engineReplicas: number({ default: 2, meaning: "Kubernetes: minimum number of engine pods.", ...replicas }),
  engineReplicasMost: number({
    default: 4,
    meaning: "Kubernetes: maximum number of engine pods; each has `enginePoolSize` connections to the database.",
    ...replicas,
  }),
  sidecarReplicas: number({ default: 2, meaning: "Kubernetes: minimum number of auth sidecar pods.", ...replicas }),
  sidecarReplicasMost: number({
    default: 3,
    meaning: "Kubernetes: maximum number of auth sidecar pods; each has 10 connections to the database.",
    ...replicas,
  }),
  certificateIssuer: text({ meaning: "Kubernetes: cert-manager issuer of the gateway's certificate.", ...dottedName }),
  certificateIssuerKind: text({
    default: "ClusterIssuer",
    meaning: "Kubernetes: kind of that issuer: cluster-wide, or in the namespace.",
    ...oneOf("ClusterIssuer", "Issuer"),
  }),
  certificateSecret: text({
    meaning: "Kubernetes: existing Secret with the gateway's certificate and key (`tls.crt`, `tls.key`).",
    ...dottedName,
  }),
  storageClass: text({
    meaning: "Kubernetes: storage class of the volumes. By default the cluster's default class.",
    ...dottedName,
  }),
  databaseStorage: text({ default: "20Gi", meaning: "Kubernetes: size of each database volume.", ...volumeSize }),
  sessionsStorage: text({ default: "1Gi", meaning: "Kubernetes: size of the session store's volume.", ...volumeSize }),
  metricsNamespace: text({
    meaning: "Kubernetes: namespace whose pods may read the metrics of every service. Without it none may.",
    ...objectName,
  }),
} as const;
