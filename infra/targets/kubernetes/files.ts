import type { types } from "@pulumi/kubernetes";
import { ConfigMap, Secret, type SecretArgs } from "@pulumi/kubernetes/core/v1/index.js";
import { all, type Input, interpolate, type Output, type Resource, secret, unsecret } from "@pulumi/pulumi";
import type { ServiceDescription, ServiceName } from "../../services/description.ts";
import { fileContents } from "../../services/file-contents.ts";
import type { Secrets } from "../../services/secrets.ts";
import { contentHash, metadataOf, type Scope, secretHash } from "./scope.ts";

/** Maximum bytes of files in one ConfigMap or Secret: Kubernetes accepts 1 MiB with the keys. */
export const packBytes = 900_000;

/** Assumed size of a file that is known only during the deployment: a certificate with its chain. */
const unknownBytes = 64 * 1024;

/** Divides files, in order, into packs that each fit into one ConfigMap. @throws for a single file that is too large */
export function pack(files: ReadonlyMap<string, string | undefined>): readonly (readonly string[])[] {
  const packs: string[][] = [];
  let room = 0;
  for (const [path, content] of files) {
    const bytes = content === undefined ? unknownBytes : Buffer.byteLength(content);
    if (bytes > packBytes) throw new Error(`The file ${path} has ${bytes} bytes; a ConfigMap takes ${packBytes}.`);
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
  /** Secret key of the hashes, so that the names of Secrets reveal nothing about their content. */
  readonly nameKey: Output<string>;
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
  return pack(known).map((paths, index) => {
    const name = `${service.name}-files${index === 0 ? "" : `-${index + 1}`}`;
    const byKey = pathsByKey(paths);
    const data = keyed(byKey, files);
    const map = new ConfigMap(
      scope.named(name),
      {
        metadata: metadataOf(interpolate`${name}-${data.apply(contentHash)}`, service.name, scope),
        immutable: true,
        data,
      },
      { parent },
    );
    return { configMap: { name: map.metadata.name, items: items(byKey) } };
  });
}

type SecretParts = Pick<FileParts, "nameKey" | "scope" | "parent">;

/** An immutable Secret named by its content. @returns its name */
export function namedSecret(
  name: string,
  service: ServiceName,
  content: Output<Record<string, string>>,
  parts: SecretParts,
  type = "Opaque",
): Output<string> {
  const stringData = secret(content);
  const hash = unsecret(all([stringData, parts.nameKey]).apply(([known, key]) => secretHash(known, key)));
  return addSecret(name, interpolate`${name}-${hash}`, service, { immutable: true, type, stringData }, parts);
}

function addSecret(
  name: string,
  objectName: Input<string>,
  service: ServiceName,
  content: Pick<SecretArgs, "immutable" | "type" | "stringData">,
  { scope, parent }: SecretParts,
): Output<string> {
  const made = new Secret(
    scope.named(name),
    { metadata: metadataOf(objectName, service, scope), ...content },
    { parent, additionalSecretOutputs: ["data", "stringData"] },
  );
  return made.metadata.name;
}

function secretSource(service: ServiceDescription, values: Contents, parts: FileParts): FileSource[] {
  if (Object.keys(values).length === 0) return [];
  const byKey = pathsByKey(Object.keys(values));
  const [name, content] = [`${service.name}-secrets`, keyed(byKey, values)];
  // The only pod of a service with data would restart for another name. The node delivers changed content to it within about a minute.
  const isLive = service.data !== undefined && Object.keys(values).every((path) => service.liveFiles?.includes(path));
  if (!isLive) return [{ secret: { name: namedSecret(name, service.name, content, parts), items: items(byKey) } }];
  addSecret(name, name, service.name, { type: "Opaque", stringData: secret(content) }, parts);
  // Not the object's output: Pulumi replaces the dependants of an object that it deletes before it creates the changed one.
  return [{ secret: { name, items: items(byKey) } }];
}

/**
 * Puts a service's files into ConfigMaps and its secrets into its own Secret, each named by its content if its change replaces the pod.
 * @returns sources of a projected volume at `filesDirectory`
 */
export function deliverFiles(service: ServiceDescription, parts: FileParts): readonly FileSource[] {
  const open: Record<string, Input<string>> = {};
  const closed: Record<string, Input<string>> = {};
  const elsewhere = new Set(Object.values(parts.foreign?.paths ?? {}));
  for (const [path, { content, isSecret }] of fileContents(service, parts.secrets)) {
    if (!elsewhere.has(path)) (isSecret ? closed : open)[path] = content;
  }
  const made = [...configMaps(service, open, parts), ...secretSource(service, closed, parts)];
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
