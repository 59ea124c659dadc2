import { secretSignature } from "./recorded-stack.ts";

type Wrapped = Readonly<Record<string, unknown>>;

const isWrapped = (value: unknown): value is Wrapped =>
  typeof value === "object" && value !== null && secretSignature in value;

/** Every secret inside a value of resource inputs, unwrapped, and the value without them. */
export function splitSecrets(value: unknown): { secrets: unknown[]; open: string } {
  const secrets: unknown[] = [];
  const open = JSON.stringify(value, (_key, inner: unknown) => {
    if (!isWrapped(inner)) return inner;
    secrets.push(inner["value"]);
    return "(secret)";
  });
  return { secrets, open };
}

/** A value of resource inputs with every secret in it unwrapped. */
export function unwrap(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value, (_key, inner: unknown) => (isWrapped(inner) ? inner["value"] : inner)));
}
