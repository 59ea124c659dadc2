import { rootCertificates } from "node:tls";
import { all, secret, unsecret } from "@pulumi/pulumi";
import type { Input, Output, Resource } from "@pulumi/pulumi";
import { derive } from "../inputs.ts";
import type { ImageSources } from "../targets/kubernetes/images.ts";
import type { ServiceDescription, ServiceName } from "../description/service.ts";
import { feedPlaces } from "../services/feed.ts";
import type { Secrets } from "../description/secrets.ts";
import type { Settings } from "../settings/list.ts";
import { dockerHostOf, runOnDocker } from "../targets/docker/run.ts";
import { outsidePlaces } from "../targets/kubernetes/network-rules.ts";
import { runOnKubernetes } from "../targets/kubernetes/run.ts";
import { hostOf } from "../targets/kubernetes/scope.ts";
import { kubernetesRunOf, namespaceOf } from "../targets/kubernetes/kubernetes-run.ts";
import { authorityOf } from "../tls/authority.ts";
import type { GivenSecrets } from "../settings/reading/argument-problems.ts";
import type { ResourceNames } from "../resource-names.ts";

export interface DeployedService {
  readonly service: string;
  /** Name of the container on Docker, or of the workload on Kubernetes. */
  readonly container: string;
  readonly image: string;
}

export interface Deployment {
  readonly services: readonly ServiceDescription[];
  readonly images: { readonly built: ImageSources["built"]; readonly pulled: ImageSources["pulled"] };
  readonly secrets: Secrets;
  /** The given secrets, before defaults and generated ones. */
  readonly given: GivenSecrets;
  readonly protectData: boolean;
  /** Prefix of the names of its objects: `<component>-<stack>`. */
  readonly prefix: string;
  readonly stack: string;
  /** Identity of the state that creates them. */
  readonly state: Output<string> | undefined;
  /** Identity of the database's volume if it replaces a lost one. */
  readonly dataVolume: string | undefined;
  /** Kubernetes: whether versioned objects are named by their content. */
  readonly contentNames: boolean;
  readonly imageDigests: ImageSources["digests"];
  /** Kubernetes: services whose autoscaler the last update had. */
  readonly autoscaledBefore: readonly string[];
  readonly named: ResourceNames;
}

interface Running {
  /** Known once a service is ready or a job has succeeded. */
  readonly ready: Output<unknown>;
  readonly described: Output<DeployedService>;
}

/** The DNS name of a service for callers that do not use search domains. */
export function serviceHost(settings: Settings, prefix: string): (service: ServiceName) => Input<string> {
  if (settings.target === "docker") return dockerHostOf;
  const scope = { namespace: namespaceOf(settings, prefix), clusterDomain: settings.clusterDomain };
  return (service) => hostOf(service, scope);
}

/** Hosts and ports of external services; the rest of their URLs stays secret. */
function outsideOf(settings: Settings, secrets: Secrets): Output<ReturnType<typeof outsidePlaces>> {
  const database = settings.database === "external" ? secrets["bootstrap-database-url"] : undefined;
  const sessions = settings.sessions === "external" ? secrets["sessions-url"] : undefined;
  const { ldapUrl: directory, traceEndpoint: collector } = settings;
  return unsecret(all({ directory, database, sessions, collector, ...feedPlaces(settings) }).apply(outsidePlaces));
}

function backupLoginOf({ backupAccessKeyId, backupSecretAccessKey }: GivenSecrets) {
  if (backupAccessKeyId === undefined || backupSecretAccessKey === undefined) return undefined;
  return { accessKeyId: secret(backupAccessKeyId), secretAccessKey: secret(backupSecretAccessKey) };
}

/** Authorities of the object storage, PEM; they replace the public ones, which common authorities therefore join. */
function backupAuthoritiesOf({ backupEndpoint, backupCaFile, authoritiesFile }: Settings): Input<string> | undefined {
  if (backupEndpoint === undefined) return undefined;
  const own = authorityOf("backupCaFile", backupCaFile);
  const common = authorityOf("authoritiesFile", authoritiesFile);
  return own ?? (common && derive(common, (known) => [...rootCertificates, known].join("\n")));
}

export function runOnTarget(settings: Settings, deployment: Deployment, parent: Resource): readonly Running[] {
  const { services, images, secrets, given, protectData, prefix, stack, state, dataVolume, contentNames, named } =
    deployment;
  const { imageDigests: digests, autoscaledBefore } = deployment;
  if (settings.target === "docker") {
    const scope = { prefix, stack, state, dataVolume, named };
    const { hostAddress, networkRange, processorLimit } = settings;
    return runOnDocker(
      { services, images, secrets, hostAddress, networkRange, processorLimit, protectData, scope },
      parent,
    ).map(({ name, container, ready }) => ({
      ready,
      described: all([container.name, container.image]).apply(([containerName, image]) => ({
        service: name,
        container: containerName,
        image,
      })),
    }));
  }
  const registry = { registry: settings.imageRegistry, push: settings.pushImages, digests };
  const run = {
    ...kubernetesRunOf(
      settings,
      { instance: prefix, state, contentNames, named },
      { imageDigests: digests, autoscaledBefore },
    ),
    services,
    images: { ...images, ...registry },
    secrets,
    protectData,
    outside: outsideOf(settings, secrets),
    backupLogin: backupLoginOf(given),
    backupAuthorities: backupAuthoritiesOf(settings),
  };
  return runOnKubernetes(run, parent).map(({ name, workload, image, readyId }) => ({
    ready: readyId,
    described: all([workload, image]).apply(([container, reference]) => ({
      service: name,
      container,
      image: reference,
    })),
  }));
}
