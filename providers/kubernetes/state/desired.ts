import { randomBytes } from "node:crypto";
import type { KubernetesObject, ObjectMetadata, Reference } from "@routeql/host/kubernetes/objects";
import { field } from "@routeql/host/kubernetes/objects";
import { type Properties, unwrap } from "../../shared/values.ts";
import type { TypeOfToken } from "./token.ts";

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

/**
 * The object to apply: plain, with its namespace, and a Secret's `stringData` converted to `data` as the server does, because only
 * `data` can be compared with the cluster.
 */
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
