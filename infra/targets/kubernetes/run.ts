import { RandomPassword } from "@pulumi/random";
import { output, secret } from "@pulumi/pulumi";
import type { Input, Output, Resource } from "@pulumi/pulumi";
import type { ServiceDescription, ServiceName } from "../../services/description.ts";
import type { Secrets } from "../../services/secrets.ts";
import type { CertificateSource } from "./certificate.ts";
import type { ClusterSettings } from "./cloudnative-pg/cluster-spec.ts";
import type { ClusterParts } from "./cloudnative-pg/cluster.ts";
import { runForeign } from "./foreign.ts";
import { imageReferences } from "./images.ts";
import type { ImageSources } from "./images.ts";
import { makeNamespace } from "./namespace.ts";
import { connect } from "./network-policies.ts";
import type { NetworkSurroundings } from "./network-rules.ts";
import type { Scope } from "./scope.ts";
import { KubernetesService } from "./service.ts";
import type { Publication } from "./services.ts";
import type { Replicas, Storage } from "./workload.ts";

export interface KubernetesRun {
  /** In an order in which each service comes after those it waits for. */
  readonly services: readonly ServiceDescription[];
  readonly images: ImageSources;
  readonly secrets: Secrets;
  readonly scope: Omit<Scope, "readyNamespace">;
  /** Whether the namespace is made here, or has to be there. */
  readonly createNamespace: boolean;
  /** Of the services without data; one, if nothing is said. */
  readonly replicas: Partial<Record<ServiceName, Replicas>>;
  /** Volumes of the services with data. */
  readonly storage: Partial<Record<ServiceName, Storage>>;
  readonly publication: Publication;
  readonly outside: Input<NetworkSurroundings["outside"]>;
  /** Namespace whose pods may read the metrics. */
  readonly metricsNamespace?: string | undefined;
  readonly imagePullSecret?: string | undefined;
  /** The gateway's certificate, if the program does not make or read it. */
  readonly certificate?: CertificateSource | undefined;
  /** A database that is not among the services. */
  readonly databaseCluster?: ClusterSettings | undefined;
  /** Login for the storage of its backups. */
  readonly backupLogin?: ClusterParts["backupLogin"];
  /** Whether Pulumi refuses to delete what holds data. */
  readonly protectData: boolean;
}

const one: Replicas = { least: 1, most: 1 };

/** Hides what the names of Secrets stand for; made once, kept in the stack's state. */
function makeNameKey({ named }: Pick<Scope, "named">, parent: Resource): Output<string> {
  const options = { parent, additionalSecretOutputs: ["result"] };
  return secret(new RandomPassword(named("secret-names"), { length: 43, special: false }, options).result);
}

/** Runs services on a Kubernetes cluster, that of the provider which the parent has. */
export function runOnKubernetes(run: KubernetesRun, parent: Resource): readonly KubernetesService[] {
  const namespace = run.createNamespace ? makeNamespace(run.scope, run.protectData, parent).metadata.name : output(run.scope.namespace);
  const scope: Scope = { ...run.scope, readyNamespace: namespace };
  const nameKey = makeNameKey(scope, parent);
  const foreign = runForeign(run, { scope, nameKey, parent });
  const policies = connect(run.services, { scope, outside: run.outside, foreign: foreign.parts, metricsNamespace: run.metricsNamespace }, parent);
  const images = imageReferences(run.images, scope, parent);
  const running = new Map<ServiceName, KubernetesService>();
  for (const service of run.services) {
    const image = images.get(service.image);
    if (image === undefined) throw new Error(`There is no image ${service.image}, but ${service.name} needs it.`);
    const after = service.after.map((name) => {
      const earlier = running.get(name)?.ready ?? foreign.ready[name];
      if (earlier === undefined) throw new Error(`${service.name} waits for ${name}, which is not described before it.`);
      return earlier;
    });
    const storage = run.storage[service.name];
    if (service.data !== undefined && storage === undefined) throw new Error(`Nothing says how large the volume of ${service.name} is.`);
    const made = new KubernetesService(
      {
        service,
        image,
        secrets: run.secrets,
        nameKey,
        foreignFiles: foreign.filesFor(service),
        imagePullSecret: run.imagePullSecret,
        replicas: run.replicas[service.name] ?? one,
        storage,
        publication: run.publication,
        protectData: run.protectData,
        scope,
        after: [...policies, ...foreign.before(service), ...after],
      },
      { parent },
    );
    running.set(service.name, made);
  }
  return [...running.values()];
}
