import { secretSignature } from "./record.ts";
import type { RecordedResource } from "./record.ts";

/** An object of Kubernetes', as an API server takes it. */
export interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly labels?: Readonly<Record<string, string>>; readonly [field: string]: unknown };
  readonly [field: string]: unknown;
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** What the site fills in: the name of the file that the value goes to, or of the field. */
const toFillIn = (key: string): string => `<put the value of ${key.replace(/^secrets\.\./, "").replaceAll("..", "/")} here>`;

/** A Secret with a placeholder for each of its values. */
function secretData(held: unknown): Record<string, string> {
  const plain = isObject(held) && secretSignature in held ? held["value"] : held;
  return Object.fromEntries(Object.keys(isObject(plain) ? plain : {}).map((key) => [key, toFillIn(key)]));
}

/** Sorted by name, without what only Pulumi reads. Nothing but a Secret may hold a secret. */
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

/** The object that a resource of the program is; undefined for what is none. */
export function manifestOf({ type, name, inputs }: RecordedResource): Manifest | undefined {
  if (!type.startsWith("kubernetes:")) return undefined;
  const { stringData, ...rest } = inputs;
  const whole = inputs["kind"] === "Secret" ? { ...rest, stringData: secretData(stringData) } : inputs;
  const { apiVersion, kind, metadata, ...fields } = plain(whole, name) as Record<string, unknown>;
  return { apiVersion, kind, metadata, ...fields } as Manifest;
}
