import type { Input } from "@pulumi/pulumi";
import type { ServiceDescription, ServiceName } from "../../services/description.ts";
import type { Secrets } from "../../services/secrets.ts";
import type { CertificateSource } from "./certificate.ts";
import type { ClusterSettings } from "./cloudnative-pg/cluster-spec.ts";
import type { ClusterParts } from "./cloudnative-pg/cluster.ts";
import type { ImageSources } from "./images.ts";
import type { NetworkSurroundings } from "./network-rules.ts";
import type { Scope } from "./scope.ts";
import type { Publication } from "./services.ts";
import type { Replicas, Storage } from "./workload.ts";

/** The services of a Kubernetes cluster and their options. */
export interface KubernetesRun {
  /** In start order: each service after its dependencies. */
  readonly services: readonly ServiceDescription[];
  readonly images: ImageSources;
  readonly secrets: Secrets;
  readonly scope: Omit<Scope, "readyNamespace">;
  /** Whether to create the namespace; if not, it must exist. */
  readonly createNamespace: boolean;
  /** Replicas of services without data; one by default. */
  readonly replicas: Partial<Record<ServiceName, Replicas>>;
  /** Volumes of the services with data. */
  readonly storage: Partial<Record<ServiceName, Storage>>;
  readonly publication: Publication;
  readonly outside: Input<NetworkSurroundings["outside"]>;
  /** Namespace whose pods may read the metrics. */
  readonly metricsNamespace?: string | undefined;
  /** Whether to create objects that make the Prometheus operator read the metrics. */
  readonly monitoringOperator?: boolean;
  readonly imagePullSecret?: string | undefined;
  /** The gateway's certificate, if the cluster provides it. */
  readonly certificate?: CertificateSource | undefined;
  /** A database that is not among the services. */
  readonly databaseCluster?: ClusterSettings | undefined;
  /** Login for the storage of its backups. */
  readonly backupLogin?: ClusterParts["backupLogin"];
  /** Whether Pulumi refuses to delete objects with data. */
  readonly protectData: boolean;
}
