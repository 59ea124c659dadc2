/**
 * Where the stack runs, and the settings of the target `kubernetes`: part of the list in list.ts. docs/kubernetes.md has examples.
 * @module
 */
import { oneOf, range } from "./checks.ts";
import { annotations, dottedName, objectName, registry, volumeSize } from "./kubernetes-checks.ts";
import { flag, number, text } from "./setting.ts";

const replicas = range(1, 100);

export const kubernetesSettings = {
  target: text({
    environment: "TARGET",
    default: "docker",
    defaultIn: { prod: "kubernetes" },
    meaning: "What the stack runs on: one Docker host, or a Kubernetes cluster (1.29 or newer).",
    ...oneOf("docker", "kubernetes"),
  }),
  namespace: text({
    environment: "KUBERNETES_NAMESPACE",
    meaning: "Kubernetes: the namespace of the stack. Without it: `routeql-` and the name of the stack.",
    ...objectName,
  }),
  createNamespace: flag({
    environment: "KUBERNETES_CREATE_NAMESPACE",
    default: true,
    meaning: "Kubernetes: whether the namespace is made (and removed) with the stack. If not, it has to be there.",
  }),
  clusterDomain: text({
    environment: "KUBERNETES_CLUSTER_DOMAIN",
    default: "cluster.local",
    meaning: "Kubernetes: the end of every DNS name of the cluster.",
    ...dottedName,
  }),
  imageRegistry: text({
    environment: "IMAGE_REGISTRY",
    meaning:
      "Kubernetes: the registry that the nodes take this project's images from, as `<registry>/routeql/<image>:<hash>`. Without it the images have to be on the nodes.",
    ...registry,
  }),
  pushImages: flag({
    environment: "PUSH_IMAGES",
    default: false,
    meaning: "Kubernetes: whether the images are built here, by Docker, and pushed to the registry. If not, they have to be there.",
  }),
  imagePullSecret: text({
    environment: "IMAGE_PULL_SECRET",
    meaning: "Kubernetes: the Secret of the namespace with which the nodes log in to the registry.",
    ...dottedName,
  }),
  gatewayService: text({
    environment: "GATEWAY_SERVICE",
    default: "LoadBalancer",
    meaning: "Kubernetes: how the gateway is reached. For NodePort the three ports have to be in the cluster's range of them.",
    ...oneOf("LoadBalancer", "NodePort", "ClusterIP"),
  }),
  gatewayAnnotations: text({
    environment: "GATEWAY_ANNOTATIONS",
    meaning: "Kubernetes: annotations of the gateway's Service, which tell a cloud what load balancer to make.",
    ...annotations,
  }),
  gatewayReplicas: number({
    environment: "GATEWAY_REPLICAS",
    default: 2,
    meaning: "Kubernetes: pods of the gateway, at least.",
    ...replicas,
  }),
  gatewayReplicasMost: number({
    environment: "GATEWAY_REPLICAS_MOST",
    default: 6,
    meaning: "Kubernetes: pods of the gateway, at most. If that is more than at least, their number follows the load.",
    ...replicas,
  }),
  engineReplicas: number({
    environment: "ENGINE_REPLICAS",
    default: 2,
    meaning: "Kubernetes: pods of the engine, at least.",
    ...replicas,
  }),
  engineReplicasMost: number({
    environment: "ENGINE_REPLICAS_MOST",
    default: 4,
    meaning: "Kubernetes: pods of the engine, at most; each has `enginePoolSize` connections to the database.",
    ...replicas,
  }),
  sidecarReplicas: number({
    environment: "SIDECAR_REPLICAS",
    default: 2,
    meaning: "Kubernetes: pods of the auth sidecar, at least.",
    ...replicas,
  }),
  sidecarReplicasMost: number({
    environment: "SIDECAR_REPLICAS_MOST",
    default: 3,
    meaning: "Kubernetes: pods of the auth sidecar, at most; each has 10 connections to the database.",
    ...replicas,
  }),
  certificateIssuer: text({
    environment: "CERTIFICATE_ISSUER",
    meaning: "Kubernetes: the issuer of cert-manager's that the gateway's certificate comes from, and is renewed by.",
    ...dottedName,
  }),
  certificateIssuerKind: text({
    environment: "CERTIFICATE_ISSUER_KIND",
    default: "ClusterIssuer",
    meaning: "Kubernetes: whether that issuer is one of the cluster or one of the namespace.",
    ...oneOf("ClusterIssuer", "Issuer"),
  }),
  certificateSecret: text({
    environment: "CERTIFICATE_SECRET",
    meaning:
      "Kubernetes: a Secret of the namespace with the gateway's certificate and key (`tls.crt`, `tls.key`), which somebody else makes and renews.",
    ...dottedName,
  }),
  storageClass: text({
    environment: "STORAGE_CLASS",
    meaning: "Kubernetes: the class of the volumes. Without it: the cluster's default.",
    ...dottedName,
  }),
  databaseStorage: text({
    environment: "DATABASE_STORAGE",
    default: "20Gi",
    meaning: "Kubernetes: size of the database's volume; of each, if there are several.",
    ...volumeSize,
  }),
  sessionsStorage: text({
    environment: "SESSIONS_STORAGE",
    default: "1Gi",
    meaning: "Kubernetes: size of the session store's volume.",
    ...volumeSize,
  }),
  metricsNamespace: text({
    environment: "METRICS_NAMESPACE",
    meaning: "Kubernetes: the namespace whose pods may read the metrics, port 9090 of the engine and the auth sidecar. Without it: none.",
    ...objectName,
  }),
} as const;
