import { secretSignature } from "./record.ts";
import type { RecordedResource } from "./record.ts";

/** A Kubernetes object as an API server accepts it. */
export interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly [field: string]: unknown;
  };
  readonly [field: string]: unknown;
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Placeholder for the site's value: the name of the value's file or field. */
const toFillIn = (key: string): string =>
  `<put the value of ${key.replace(/^secrets\.\./, "").replaceAll("..", "/")} here>`;

/** A Secret with a placeholder for each of its values. */
function secretData(held: unknown): Record<string, string> {
  const plain = isObject(held) && secretSignature in held ? held["value"] : held;
  return Object.fromEntries(Object.keys(isObject(plain) ? plain : {}).map((key) => [key, toFillIn(key)]));
}

/** Sorted by name, without Pulumi's own fields. Only a Secret may contain a secret. */
function plain(value: unknown, path: string): unknown {
  if (Array.isArray(value)) return value.map((entry, index) => plain(entry, `${path}[${index}]`));
  if (!isObject(value)) return value;
  if (secretSignature in value) throw new Error(`${path} is secret and cannot be rendered.`);
  const entries = Object.entries(value)
    .filter(([key, inner]) => inner !== undefined && !key.startsWith("pulumi.com/"))
    .map(([key, inner]) => [key, plain(inner, `${path}.${key}`)] as const)
    .filter(([key, inner]) => key !== "annotations" || !isObject(inner) || Object.keys(inner).length > 0)
    .sort(([left], [right]) => (left < right ? -1 : 1));
  return Object.fromEntries(entries);
}

/** The Kubernetes object of a resource; undefined for other resources. */
export function manifestOf({ type, name, inputs }: RecordedResource): Manifest | undefined {
  if (!type.startsWith("kubernetes:")) return undefined;
  const { stringData, ...rest } = inputs;
  const whole = inputs["kind"] === "Secret" ? { ...rest, stringData: secretData(stringData) } : inputs;
  const { apiVersion, kind, metadata, ...fields } = plain(whole, name) as Record<string, unknown>;
  return { apiVersion, kind, metadata, ...fields } as Manifest;
}
