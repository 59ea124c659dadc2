import { randomBytes } from "node:crypto";
import { field, type KubernetesObject, type ObjectMetadata, type Reference } from "@routeql/host/kubernetes/objects";
import { type Properties, unwrap } from "../../shared/values.ts";

/** Marks a generated name, as the official provider does. */
const autonamed = "pulumi.com/autonamed";

/** Fields of the state that are this provider's own. */
export const inputsProperty = "__inputs";
export const driftProperty = "__drift";

export const nameIn = (inputs: unknown): unknown => field(inputs, "metadata", "name");
export const wasAutonamed = (inputs: unknown): boolean =>
  field(inputs, "metadata", "annotations", autonamed) === "true";

/** Completes the inputs: version and kind from the type, and if there is no name, one from the resource's name and 8 digits. */
export function completed(
  inputs: Properties,
  before: Properties | undefined,
  { apiVersion, kind }: TypeOfToken,
  resourceName: string,
): Properties {
  const metadata = (inputs["metadata"] ?? {}) as Properties;
  const whole = { ...inputs, apiVersion, kind, metadata };
  if (metadata["name"] !== undefined || metadata["generateName"] !== undefined) return whole;
  const earlier = unwrap(before ?? {}) as Properties;
  const name = wasAutonamed(earlier)
    ? nameIn(earlier)
    : `${resourceName.toLowerCase().replaceAll(/[^a-z0-9.-]+/g, "-")}-${randomBytes(4).toString("hex")}`;
  const annotations = (metadata["annotations"] ?? {}) as Properties;
  return { ...whole, metadata: { ...metadata, name, annotations: { ...annotations, [autonamed]: "true" } } };
}

/** The object to apply, with its namespace. `stringData` becomes `data`, because only that can be compared with the cluster. */
export function desiredObject(inputs: Properties, namespace: string | undefined): KubernetesObject {
  const { stringData, ...rest } = inputs;
  const { namespace: _given, ...metadata } = (inputs["metadata"] ?? {}) as ObjectMetadata;
  const object = {
    ...rest,
    metadata: { ...metadata, ...(namespace === undefined ? {} : { namespace }) },
  } as unknown as KubernetesObject;
  if (object.kind !== "Secret" || stringData === undefined || stringData === null) return object;
  const encoded = Object.entries(stringData as Readonly<Record<string, string>>).map(([key, text]) => [
    key,
    Buffer.from(text).toString("base64"),
  ]);
  return { ...object, data: { ...(object["data"] as object | undefined), ...Object.fromEntries(encoded) } };
}

export const referenceTo = ({ apiVersion, kind, metadata: { name, namespace } }: KubernetesObject): Reference => ({
  apiVersion,
  kind,
  name,
  namespace,
});

/** `namespace/name`, or only the name, as in the official provider. */
export const idOf = ({ metadata: { name, namespace } }: KubernetesObject): string =>
  namespace === undefined ? name : `${namespace}/${name}`;

/** Reverses {@link idOf}. */
export function parseId(id: string): { name: string; namespace: string | undefined } {
  const [first = "", second] = id.split("/");
  return second === undefined ? { name: first, namespace: undefined } : { name: second, namespace: first };
}

/** Group, version and kind in a type token of the kubernetes provider. */
export interface TypeOfToken {
  readonly apiVersion: string;
  readonly kind: string;
}

/** Types that are no objects of the API: the official provider implements them with its own programs. */
const programs = /^kubernetes:(helm\.sh|kustomize|yaml)(\/|:)/;

/** `kubernetes:core/v1:Service` → v1, Service. @throws Error for an unsupported type */
export function parseToken(token: string): TypeOfToken {
  const [, group = "", kind = "", more] = token.split(":");
  const refuse = (why: string): never => {
    throw new Error(
      `the stand-in kubernetes provider does not support the resource type ${token}: ${why}; use the official provider`,
    );
  };
  if (programs.test(token)) refuse("it supports only objects of the Kubernetes API");
  if (!token.startsWith("kubernetes:") || kind === "" || more !== undefined || !/^[^/]+(\/v\d\w*)$/.test(group))
    refuse("it is not a kind of the Kubernetes API");
  if (kind.endsWith("Patch")) refuse("it cannot patch objects of other owners");
  if (kind.endsWith("List")) refuse("a list is not an object");
  return { apiVersion: group.replace(/^core\//, ""), kind };
}
