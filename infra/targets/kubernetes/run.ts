import { RandomPassword } from "@pulumi/random";
import { output, secret } from "@pulumi/pulumi";
import type { Output, Resource } from "@pulumi/pulumi";
import type { ServiceName } from "../../services/description.ts";
import { runForeign } from "./foreign.ts";
import { imageReferences } from "./images.ts";
import { monitorByOperator } from "./monitoring.ts";
import { makeNamespace } from "./namespace.ts";
import { connect } from "./network-policies.ts";
import type { KubernetesRun } from "./kubernetes-run.ts";
import type { Scope } from "./scope.ts";
import { KubernetesService } from "./service.ts";
import type { Replicas } from "./workload.ts";

const one: Replicas = { least: 1, most: 1 };

/** Secret key of the Secrets' names; created once and kept in the stack's state. */
function makeNameKey({ named }: Pick<Scope, "named">, parent: Resource): Output<string> {
  const options = { parent, additionalSecretOutputs: ["result"] };
  return secret(new RandomPassword(named("secret-names"), { length: 43, special: false }, options).result);
}

/** Runs services on the Kubernetes cluster of the parent's provider. */
export function runOnKubernetes(run: KubernetesRun, parent: Resource): readonly KubernetesService[] {
  const namespace = run.createNamespace ? makeNamespace(run.scope, run.protectData, parent).metadata.name : output(run.scope.namespace);
  const scope: Scope = { ...run.scope, readyNamespace: namespace };
  const nameKey = makeNameKey(scope, parent);
  const foreign = runForeign(run, { scope, nameKey, parent });
  const policies = connect(run.services, { scope, outside: run.outside, foreign: foreign.parts, metricsNamespace: run.metricsNamespace }, parent);
  if (run.monitoringOperator === true) monitorByOperator(scope, parent);
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
