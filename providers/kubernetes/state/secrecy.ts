import { isSecret, type Properties, secret, unwrap } from "../../shared/values.ts";

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Wraps each value of an object as seen in the cluster that is secret in the inputs, at whatever depth. */
export function keepSecret(inputs: unknown, live: unknown): unknown {
  if (live === undefined || live === null) return live;
  if (isSecret(inputs)) return secret(live);
  if (isObject(inputs) && isObject(live)) {
    return Object.fromEntries(Object.entries(live).map(([name, value]) => [name, keepSecret(inputs[name], value)]));
  }
  if (Array.isArray(inputs) && Array.isArray(live)) return live.map((entry, index) => keepSecret(inputs[index], entry));
  return live;
}

/** What a Secret holds is secret whatever the program says of it. */
export function hideSecretData(object: Properties): Properties {
  if (object["kind"] !== "Secret") return object;
  const hide = (name: string): Properties => (object[name] === undefined ? {} : { [name]: secret(unwrap(object[name])) });
  return { ...object, ...hide("data"), ...hide("stringData") };
}
