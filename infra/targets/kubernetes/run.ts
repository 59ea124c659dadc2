import { RandomPassword } from "@pulumi/random";
import { output, secret } from "@pulumi/pulumi";
import type { Output, Resource } from "@pulumi/pulumi";
import type { ServiceDescription, ServiceName } from "../../services/description.ts";
import type { Secrets } from "../../services/secrets.ts";
import type { ForeignFiles } from "./files.ts";
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
  readonly network: Omit<NetworkSurroundings, "scope">;
  readonly imagePullSecret?: string | undefined;
  /** Files of a service that an object of the cluster holds. */
  readonly foreignFiles?: Partial<Record<ServiceName, ForeignFiles>>;
  /** Whether Pulumi refuses to delete what holds data. */
  readonly protectData: boolean;
}

const one: Replicas = { least: 1, most: 1 };

/** Hides what the names of Secrets stand for; made once, kept in the stack's state. */
function makeNameKey(parent: Resource): Output<string> {
  const options = { parent, additionalSecretOutputs: ["result"] };
  return secret(new RandomPassword("secret-names", { length: 43, special: false }, options).result);
}

/** Runs services on a Kubernetes cluster, that of the provider which the parent has. */
export function runOnKubernetes(run: KubernetesRun, parent: Resource): readonly KubernetesService[] {
  const namespace = run.createNamespace ? makeNamespace(run.scope, run.protectData, parent).metadata.name : output(run.scope.namespace);
  const scope: Scope = { ...run.scope, readyNamespace: namespace };
  const policies = connect(run.services, { ...run.network, scope }, parent);
  const images = imageReferences(run.images, parent);
  const nameKey = makeNameKey(parent);
  const running = new Map<ServiceName, KubernetesService>();
  for (const service of run.services) {
    const image = images.get(service.image);
    if (image === undefined) throw new Error(`There is no image ${service.image}, but ${service.name} needs it.`);
    const after = service.after.map((name) => {
      const earlier = running.get(name);
      if (earlier === undefined) throw new Error(`${service.name} waits for ${name}, which is not described before it.`);
      return earlier.ready;
    });
    const storage = run.storage[service.name];
    if (service.data !== undefined && storage === undefined) throw new Error(`Nothing says how large the volume of ${service.name} is.`);
    const made = new KubernetesService(
      {
        service,
        image,
        secrets: run.secrets,
        nameKey,
        foreignFiles: run.foreignFiles?.[service.name],
        imagePullSecret: run.imagePullSecret,
        replicas: run.replicas[service.name] ?? one,
        storage,
        publication: run.publication,
        protectData: run.protectData,
        scope,
        after: [...policies, ...after],
      },
      { parent },
    );
    running.set(service.name, made);
  }
  return [...running.values()];
}
