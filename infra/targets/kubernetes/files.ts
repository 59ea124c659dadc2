import type { types } from "@pulumi/kubernetes";
import { ConfigMap, Secret, type SecretArgs } from "@pulumi/kubernetes/core/v1/index.js";
import { all, type Input, type Output, type Resource, secret } from "@pulumi/pulumi";
import type { ServiceDescription, ServiceName } from "../../description/service.ts";
import { fileContents } from "../../services/file-contents.ts";
import type { Secrets } from "../../description/secrets.ts";
import { metadataOf, type Scope, versionedMetadata } from "./scope.ts";

/** Maximum bytes of one file: Kubernetes accepts 1 MiB with the keys. */
export const fileBytes = 900_000;

/** Bytes of files in one ConfigMap of manifests: kubectl and Argo CD repeat an object in an annotation of at most 256 KiB, with escapes. */
export const appliedBytes = 200_000;

/** Assumed size of a file that is known only during the deployment: a certificate with its chain. */
const unknownBytes = 64 * 1024;

/** Divides files, in order, into packs, each for one ConfigMap. A larger file has its own. @throws for a file that is too large */
export function pack(
  files: ReadonlyMap<string, string | undefined>,
  packBytes = fileBytes,
): readonly (readonly string[])[] {
  const packs: string[][] = [];
  let room = 0;
  for (const [path, content] of files) {
    const bytes = content === undefined ? unknownBytes : Buffer.byteLength(content);
    if (bytes > fileBytes) throw new Error(`The file ${path} has ${bytes} bytes; a ConfigMap takes ${fileBytes}.`);
    if (packs.length === 0 || bytes > room) {
      packs.push([]);
      room = packBytes;
    }
    packs.at(-1)?.push(path);
    room -= bytes;
  }
  return packs;
}

export type FileSource = types.input.core.v1.VolumeProjection;

/** Files in another object of the cluster, such as a certificate's Secret: path by key. */
export interface ForeignFiles {
  readonly secretName: Input<string>;
  readonly paths: Readonly<Record<string, string>>;
}

export interface FileParts {
  readonly secrets: Secrets;
  readonly foreign?: ForeignFiles;
  readonly scope: Scope;
  readonly parent: Resource;
}

type Contents = Readonly<Record<string, Input<string>>>;

const items = (paths: ReadonlyMap<string, string>): { key: string; path: string }[] =>
  [...paths].map(([key, path]) => ({ key, path }));

function keyed(paths: ReadonlyMap<string, string>, contents: Contents): Output<Record<string, string>> {
  return all(Object.fromEntries([...paths].map(([key, path]) => [key, contents[path] ?? ""])));
}

/** Immutable: a changed file is another ConfigMap, so a running pod keeps the old one. */
function configMaps(service: ServiceDescription, files: Contents, { scope, parent }: FileParts): FileSource[] {
  const known = new Map(
    Object.entries(files).map(([path, content]) => [path, typeof content === "string" ? content : undefined]),
  );
  return pack(known, scope.contentNames ? appliedBytes : fileBytes).map((paths, index) => {
    const name = `${service.name}-files${index === 0 ? "" : `-${index + 1}`}`;
    const byKey = pathsByKey(paths);
    const data = keyed(byKey, files);
    const map = new ConfigMap(
      scope.named(name),
      { metadata: versionedMetadata(name, data, service.name, scope), immutable: true, data },
      { parent },
    );
    return { configMap: { name: map.metadata.name, items: items(byKey) } };
  });
}

/** Of a service that follows its files: the node delivers changed content to its running pods within about a minute. */
function liveConfigMap(service: ServiceDescription, files: Contents, { scope, parent }: FileParts): FileSource[] {
  if (Object.keys(files).length === 0) return [];
  const name = `${service.name}-live-files`;
  const byKey = pathsByKey(Object.keys(files));
  const metadata = metadataOf(name, service.name, scope);
  // Not the object's output, as for a live Secret.
  void new ConfigMap(scope.named(name), { metadata, data: keyed(byKey, files) }, { parent });
  return [{ configMap: { name, items: items(byKey) } }];
}

type SecretParts = Pick<FileParts, "scope" | "parent">;

/** An immutable Secret: other content is another one. @returns its name */
export function versionedSecret(
  name: string,
  service: ServiceName,
  content: Output<Record<string, string>>,
  parts: SecretParts,
  type = "Opaque",
): Output<string> {
  const stringData = secret(content);
  const metadata = versionedMetadata(name, stringData, service, parts.scope);
  return addSecret(name, { metadata, immutable: true, type, stringData }, parts);
}

function addSecret(name: string, args: SecretArgs, { scope, parent }: SecretParts): Output<string> {
  const made = new Secret(scope.named(name), args, { parent, additionalSecretOutputs: ["data", "stringData"] });
  return made.metadata.name;
}

function secretSource(service: ServiceDescription, values: Contents, parts: FileParts): FileSource[] {
  if (Object.keys(values).length === 0) return [];
  const byKey = pathsByKey(Object.keys(values));
  const [name, content] = [`${service.name}-secrets`, keyed(byKey, values)];
  // The only pod of a service with data would restart for another name. The node delivers changed content to it within about a minute.
  const isLive = service.data !== undefined && Object.keys(values).every((path) => service.liveFiles?.includes(path));
  if (!isLive) return [{ secret: { name: versionedSecret(name, service.name, content, parts), items: items(byKey) } }];
  const metadata = metadataOf(name, service.name, parts.scope);
  addSecret(name, { metadata, type: "Opaque", stringData: secret(content) }, parts);
  // Not the object's output: Pulumi replaces the dependants of an object that it deletes before it creates the changed one.
  return [{ secret: { name, items: items(byKey) } }];
}

/**
 * Puts a service's files into ConfigMaps and its secrets into its own Secret, each with a name of its own for each content whose change replaces the pod.
 * @returns sources of a projected volume at `filesDirectory`
 */
export function deliverFiles(service: ServiceDescription, parts: FileParts): readonly FileSource[] {
  const open: Record<string, Input<string>> = {};
  const live: Record<string, Input<string>> = {};
  const closed: Record<string, Input<string>> = {};
  const follows = (path: string): boolean =>
    service.followsFiles === true && service.liveFiles?.includes(path) === true;
  const elsewhere = new Set(Object.values(parts.foreign?.paths ?? {}));
  for (const [path, { content, isSecret }] of fileContents(service, parts.secrets)) {
    if (!elsewhere.has(path)) (isSecret ? closed : follows(path) ? live : open)[path] = content;
  }
  const made = [
    ...configMaps(service, open, parts),
    ...liveConfigMap(service, live, parts),
    ...secretSource(service, closed, parts),
  ];
  if (parts.foreign === undefined) return made;
  const { secretName, paths } = parts.foreign;
  return [
    ...made,
    { secret: { name: secretName, items: Object.entries(paths).map(([key, path]) => ({ key, path })) } },
  ];
}

/** ConfigMap or Secret keys for file paths, which have no folder. @throws for two paths with one key, or one without a valid key */
export function pathsByKey(paths: readonly string[]): ReadonlyMap<string, string> {
  const byKey = new Map<string, string>();
  for (const path of paths) {
    const key = path.replaceAll("/", "..");
    if (!/^(?!\.\.)[-._a-zA-Z0-9]{1,253}$/.test(key))
      throw new Error(`The file ${path} cannot be in a ConfigMap or Secret.`);
    const other = byKey.get(key);
    if (other !== undefined)
      throw new Error(`The files ${other} and ${path} have the same key in a ConfigMap: ${key}.`);
    byKey.set(key, path);
  }
  return byKey;
}
