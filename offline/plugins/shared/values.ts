/** Property values between Pulumi and plugin (pulumi's plugin/rpc.go): a secret has a signature, an unknown is a reserved string. */

export type Properties = Readonly<Record<string, unknown>>;

const signatureKey = "4dabf18193072939515e22adb298388d";
const secretSignature = "1b47061264138c4ac30d75fd1eb44270";
const outputSignature = "d0e6a833031e9bbcd3f4e8bde6ca49a4";

const unknownValues: ReadonlySet<unknown> = new Set([
  "1c4a061d-8072-4f0a-a4cb-0ff528b18fe7",
  "3eeb2bf0-c639-47a8-9e75-3b44932eb421",
  "04da6b54-80e4-46f7-96ec-b56ff0331ba9",
  "6a19a0b0-7e62-4c92-b797-7f8e31da9cc2",
  "030794c1-ac77-496b-92df-f27374a8bd58",
  "e48ece36-62e2-4504-bad9-02848725956a",
  "dd056dcd-154b-4c76-9bd3-c8f88648b5ff",
]);
const unknownString = "04da6b54-80e4-46f7-96ec-b56ff0331ba9";

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

export const isUnknown = (value: unknown): boolean => unknownValues.has(value);

export const secret = (value: unknown): unknown => ({ [signatureKey]: secretSignature, value });

/** Whether a value is wrapped as a secret, or is an output marked as secret. */
export const isSecret = (value: unknown): boolean =>
  isObject(value) &&
  (value[signatureKey] === secretSignature || (value[signatureKey] === outputSignature && value.secret === true));

/** The plain value without wrappers, for use only; never store it. */
export function unwrap(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(unwrap);
  if (!isObject(value)) return value;
  if (value[signatureKey] === secretSignature) return unwrap(value.value);
  if (value[signatureKey] === outputSignature) return "value" in value ? unwrap(value.value) : unknownString;
  return Object.fromEntries(Object.entries(value).map(([name, entry]) => [name, unwrap(entry)]));
}

export const unwrapAll = (properties: Properties | undefined): Properties =>
  (unwrap(properties ?? {}) ?? {}) as Properties;

/** Equal text for equal values, independent of the order of keys; keys without a value do not count. */
export function canonical(value: unknown): string {
  return JSON.stringify(value, (_key, entry: unknown) =>
    isObject(entry)
      ? Object.fromEntries(
          Object.entries(entry)
            .filter(([, inner]) => inner !== undefined && inner !== null)
            .toSorted(([left], [right]) => (left < right ? -1 : 1)),
        )
      : entry,
  );
}

/** The given names whose plain values differ; an unknown value differs from every other. */
export function changedNames(names: Iterable<string>, olds: Properties, news: Properties): string[] {
  return [...names].filter((name) => canonical(olds[name] ?? null) !== canonical(news[name] ?? null));
}

/** Without the defaults that the official provider added to inputs, which it names in `__defaults` of each object. */
export function withoutDefaults(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutDefaults);
  if (!isObject(value)) return value;
  const { __defaults: added = [], ...entries } = value;
  return Object.fromEntries(
    Object.entries(entries)
      .filter(([name]) => !(added as readonly string[]).includes(name))
      .map(([name, entry]) => [name, withoutDefaults(entry)]),
  );
}

/** An object, or each object of a list, with defaults for absent properties. */
export function completed(value: unknown, defaults: Properties): unknown {
  if (Array.isArray(value)) return value.map((one) => completed(one, defaults));
  return isObject(value) && !isSecret(value) ? { ...defaults, ...value } : value;
}
