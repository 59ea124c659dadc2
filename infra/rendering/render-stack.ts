/** A stack's program as Kubernetes manifests: runs the program with placeholders for all secrets. */
import { basename } from "node:path";
import { RunError } from "@pulumi/pulumi";
import { stringify } from "yaml";
import { partOf } from "../resource-names.ts";
import { RouteQL } from "../components/routeql.ts";
import { toArguments } from "../program.ts";
import { type GivenSettings, settingNames } from "../settings/list.ts";
import { withDefaults } from "../settings/reading/complete.ts";
import { portsOf } from "../settings/values/cluster-network.ts";
import { imagesOf, type Manifest, manifestOf } from "./manifest.ts";
import { type RecordedResource, recordResources } from "./record.ts";
import { placeholder, secretTemplate, withoutSecrets } from "./secret-templates.ts";
import { secretsJob } from "./secrets-job.ts";

const serviceLabel = "app.kubernetes.io/name";

/** Outside of the main kustomization: `kubectl delete -k` of a folder with the namespace would delete all volumes. */
const namespaceFolder = "namespace/";

/** The manifest file of an object. Its number is the wave in which Argo CD applies it. */
function fileOf({ kind, metadata }: Manifest, order: readonly string[]): string {
  if (kind === "Namespace") return `${namespaceFolder}00-namespace.yaml`;
  if (kind === "NetworkPolicy") return "01-network-policies.yaml";
  // The last wave: Argo CD fails a wave with an autoscaler of new pods, which have no metrics yet (or never, on a cluster without metrics).
  if (kind === "HorizontalPodAutoscaler") return "90-autoscalers.yaml";
  const service = metadata.labels?.[serviceLabel] ?? "stack";
  return `${10 + Math.max(0, order.indexOf(service))}-${service}.yaml`;
}

/** Deleting one of these deletes data. */
const holdsData: ReadonlySet<string> = new Set(["Namespace", "Cluster"]);

/** Neither a prune nor the deletion of the application deletes the object (Argo CD, sync options; Flux, Kustomization). */
const kept = {
  "argocd.argoproj.io/sync-options": "Prune=false,Delete=false",
  "kustomize.toolkit.fluxcd.io/prune": "disabled",
};

/**
 * Files under a name of their content. Argo CD would prune the former ones before the new pods are healthy (argoproj/argo-cd#5080); Flux does, so it leaves
 * them (fluxcd/kustomize-controller#1180): a former pod that starts again needs them.
 */
const keptForPods = {
  "argocd.argoproj.io/sync-options": "PruneLast=true",
  "kustomize.toolkit.fluxcd.io/prune": "disabled",
};

/** Flux' substitution of variables (`postBuild`) would change `${name}` in scripts. */
const verbatim = { "kustomize.toolkit.fluxcd.io/substitute": "disabled" };

const forGitOps = ({ kind, ...fields }: Manifest): Readonly<Record<string, string>> => ({
  ...(holdsData.has(kind) ? kept : {}),
  ...(kind === "ConfigMap" ? verbatim : {}),
  ...(kind === "ConfigMap" && fields["immutable"] === true ? keptForPods : {}),
});

/** The object with the annotation of its wave (argo-cd.readthedocs.io, sync waves): each wave waits until the one before is healthy. */
const inWave = (manifest: Manifest, wave: number): Manifest => ({
  ...manifest,
  metadata: {
    ...manifest.metadata,
    annotations: {
      ...(manifest.metadata["annotations"] as object | undefined),
      ...forGitOps(manifest),
      "argocd.argoproj.io/sync-wave": String(wave),
    },
  },
});

function yamlOf(manifests: readonly Manifest[]): string {
  return manifests.map((manifest) => stringify(manifest, { lineWidth: 0, aliasDuplicateObjects: false })).join("---\n");
}

/** Order within a file: dependencies first. */
const kinds = [
  "ServiceAccount",
  "Role",
  "RoleBinding",
  "ObjectStore",
  "Certificate",
  "ConfigMap",
  "Cluster",
  "Service",
  "StatefulSet",
  "Job",
  "Deployment",
];
const rank = ({ kind }: Manifest): number => (kinds.includes(kind) ? kinds.indexOf(kind) : kinds.length);

const kustomization = (resources: readonly string[]): string =>
  stringify({ apiVersion: "kustomize.config.k8s.io/v1beta1", kind: "Kustomization", resources: resources.toSorted() });

/** Contents by path: one file for each service in start order, the kustomization and the list of images. Deterministic for equal objects. */
function filesOf(manifests: readonly Manifest[], order: readonly string[]): ReadonlyMap<string, string> {
  const groups = Map.groupBy(manifests, (manifest) => fileOf(manifest, order));
  const files = [...groups].map(([file, group]) => {
    const sorted = group.toSorted(
      (left, right) =>
        rank(left) - rank(right) ||
        (`${left.kind}/${left.metadata.name}` < `${right.kind}/${right.metadata.name}` ? -1 : 1),
    );
    const wave = Number.parseInt(basename(file), 10);
    return [file, yamlOf(sorted.map((manifest) => inWave(manifest, wave)))] as const;
  });
  const [inNamespace, others] = [true, false].map((isThere) =>
    files.map(([file]) => file).filter((file) => file.startsWith(namespaceFolder) === isThere),
  );
  const images = imagesOf(manifests)
    .map((image) => `${image}\n`)
    .join("");
  const lists = [
    ...(inNamespace!.length === 0
      ? []
      : [[`${namespaceFolder}kustomization.yaml`, kustomization(inNamespace!.map((file) => basename(file)))] as const]),
    ["kustomization.yaml", kustomization(others!)],
    ["images.txt", images],
  ] as const;
  return new Map([...files, ...lists].sort(([left], [right]) => (left < right ? -1 : 1)));
}

const component = "routeql";
const randomPassword = "random:index/randomPassword:RandomPassword";

/** Default Secret of the gateway's certificate, because a certificate generated by a deployment cannot be rendered. */
const certificateSecret = "gateway-certificate";

export interface RenderedStack {
  /** Contents by path. */
  readonly files: ReadonlyMap<string, string>;
  /** References of all images, as the nodes know them. */
  readonly images: readonly string[];
  /** Tasks for the person who applies the manifests. */
  readonly notes: readonly string[];
}

function withCertificate(given: GivenSettings): GivenSettings {
  const { tlsCertificateFile, certificateIssuer, certificateSecret: named } = given;
  return [tlsCertificateFile, certificateIssuer, named].some((source) => source !== undefined)
    ? given
    : { ...given, certificateSecret };
}

/** Outputs of providers other than Kubernetes, equal for each run. */
function answers(type: string, name: string): Readonly<Record<string, unknown>> {
  return type === randomPassword ? { result: placeholder(partOf(component, name) ?? name) } : {};
}

/** Values of the Secrets by origin: those that the cluster generates, and those that the owner gives. */
function secretsOf(resources: readonly RecordedResource[], generation: number | undefined) {
  const generated = resources
    .filter(({ type }) => type === randomPassword)
    .map(({ name }) => partOf(component, name) ?? name);
  const known = [...generated, ...settingNames];
  const secrets = Object.fromEntries(
    resources
      .filter(({ type, inputs }) => type.startsWith("kubernetes:") && inputs["kind"] === "Secret")
      .map((resource) => {
        const { name } = resource.inputs["metadata"] as { name: string };
        return [name, secretTemplate(resource, known, generation)] as const;
      })
      .sort(([left], [right]) => (left < right ? -1 : 1)),
  );
  const text = JSON.stringify(secrets);
  const used = new Set([...text.matchAll(/{{(.+?)}}/g)].map(([, name = ""]) => name));
  return {
    secrets,
    generated: generated.filter((name) => used.has(name)).sort(),
    given: [...used].filter((name) => !generated.includes(name)).sort(),
  };
}

/** @param imageDigests that pin the images, by reference @throws {SettingsError} with all problems of the settings */
export async function renderStack(
  stack: string,
  settings: GivenSettings,
  imageDigests?: ReadonlyMap<string, string>,
): Promise<RenderedStack> {
  const given = withCertificate({ ...settings, pushImages: false });
  const resources = await recordResources(
    () =>
      void new RouteQL(component, toArguments(withoutSecrets(given)), {
        checked: true,
        stateIdentity: false,
        contentNames: true,
        imageDigests,
      }),
    { stack, preview: false, answers },
  );
  const manifests = resources.map(manifestOf).filter((manifest) => manifest !== undefined);
  const migrate = manifests.find(
    ({ kind, metadata }) => kind === "Job" && metadata.labels?.[serviceLabel] === "migrate",
  )!;
  const { secrets, generated, given: owned } = secretsOf(resources, given.givenSecretsGeneration);
  const order = resources
    .filter(({ type }) => type === "routeql:kubernetes:Service")
    .map(({ name }) => partOf(component, name) ?? name);
  const apiServerPorts = portsOf(withDefaults(given, stack).apiServerPorts);
  const all = [...manifests, ...secretsJob(migrate, secrets, generated, apiServerPorts)];
  const files = filesOf(all, ["secrets", ...order]);
  for (const [path, text] of files) refuseKey(path, text);
  return { files, images: imagesOf(all), notes: notesOf(owned, given.certificateSecret) };
}

/** The manifests promise to contain no secret, and a person publishes them. */
function refuseKey(path: string, text: string): void {
  if (!/-----BEGIN [A-Z ]*PRIVATE KEY-----/.test(text)) return;
  throw new RunError(
    `The manifest ${path} would contain a private key, because a setting or a file that is not secret contains one. Remove the block PRIVATE KEY from it.`,
  );
}

function notesOf(given: readonly string[], certificate: string | undefined): readonly string[] {
  return [
    "The job `secrets` generates the passwords inside the cluster.",
    ...(given.length === 0 ? [] : [`It needs these values in the Secret given-secrets: ${given.join(", ")}.`]),
    ...(certificate === undefined
      ? []
      : [`The gateway's certificate is expected in the Secret ${certificate} (tls.crt, tls.key).`]),
  ];
}
