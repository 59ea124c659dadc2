import type * as pulumi from "@pulumi/pulumi";
import type { z } from "zod";
import { changedNames, completed, isUnknown, type Properties, secret, unwrapAll, withoutDefaults } from "./values.ts";

export interface Context {
  readonly urn: string;
  /** Aborted when Pulumi cancels the update. */
  readonly signal: AbortSignal;
  /** For a deletion: names of the inputs that differ in the replacement, which this update creates next. */
  readonly replacedFor?: readonly string[] | undefined;
}

/** Result of a refresh. */
export interface Reading {
  /** Outputs that changed outside Pulumi; all others keep their value from the state. */
  readonly outputs?: Properties;
  /** Differences from the inputs, in plain words; if there are any, the next update repairs them. */
  readonly drift?: readonly string[];
  readonly repair?: "update" | "replace";
}

/** A resource type (methods, so that kinds with different inputs fit into one table). Values are plain; the provider wraps stored ones. */
export interface ResourceKind<Inputs> {
  /** Strict: rejects unknown properties by name. */
  readonly inputs: z.ZodObject;
  /** Inputs that `update` can change; a change of any other input replaces the resource. */
  readonly updatable?: readonly string[];
  /** Further inputs that `update` can change from these old values to these new ones. */
  adaptable?(olds: Inputs, news: Inputs): readonly string[];
  readonly secretOutputs?: readonly string[];
  /** Version of the official provider's schema of this type. Default: 0. */
  readonly schemaVersion?: number;
  /** Values that the official provider records for absent inputs. Without them, it would detect changes in a state of this provider. */
  readonly defaults?: Properties;
  /** The same for absent properties of an object, or of each object of a list. */
  readonly innerDefaults?: Readonly<Record<string, Properties>>;
  /** Whether the old resource must be deleted first, because both would have the same name. */
  deleteBeforeReplace?(olds: Inputs, news: Inputs): boolean;
  create(inputs: Inputs, context: Context): Promise<{ id: string; outputs: Properties }>;
  /** Returns undefined if the resource is gone. Without this method a refresh keeps the state. */
  read?(id: string, state: Inputs & Properties, context: Context): Promise<Reading | undefined>;
  update?(id: string, olds: Inputs & Properties, news: Inputs, context: Context): Promise<Properties>;
  /** Resolves when the resource is gone; succeeds if it was already gone. */
  delete?(id: string, state: Inputs & Properties, context: Context): Promise<void>;
}

export type AnyResourceKind = ResourceKind<Properties>;

/** Methods of every stand-in. */
export type StandIn = pulumi.provider.Provider &
  Required<Pick<pulumi.provider.Provider, "check" | "diff" | "create" | "read" | "update" | "delete" | "cancel">>;

/** State for this provider only: drift found by a refresh, and how to repair it. */
const driftProperty = "__drift";
/** The official provider's form of a state beside its properties. It is wrong after an update by this provider. */
const officialForm = "__pulumi_raw_state_delta";

/** Key of the inputs in the state, beside the outputs of a request; see serve.ts. */
export const stateInputs = Symbol("inputs in the state");

/** The state that a kind gets: given inputs and computed outputs, without the defaults of the official provider. */
function stateOf(kind: AnyResourceKind, recorded: Properties & { [stateInputs]?: Properties }): Properties {
  const { [stateInputs]: inputs, ...outputs } = recorded;
  if (inputs === undefined) return outputs;
  const computed = Object.entries(outputs).filter(([key]) => !Object.hasOwn(kind.inputs.shape, key));
  return { ...Object.fromEntries(computed), ...(withoutDefaults(inputs) as Properties) };
}
interface Drift {
  readonly found: readonly string[];
  readonly repair: "update" | "replace";
}

/** `urn:pulumi:stack::project::parent$docker:index/network:Network::name` → `docker:index/network:Network`. */
export function typeOf(urn: string): string {
  return (urn.split("::")[2] ?? "").split("$").at(-1)!;
}

/** A provider of resource kinds, by type token. It rejects unsupported properties at check, so that a preview already fails. */
export function makeProvider(name: string, version: string, kinds: Readonly<Record<string, AnyResourceKind>>): StandIn {
  const cancelled = new AbortController();
  const context = (urn: string): Context => ({ urn, signal: cancelled.signal });
  const replaced = new Map<string, readonly string[]>();
  /** A destroy compares resources too, but checks none. */
  let updates = false;
  const kindOf = (urn: string): AnyResourceKind => {
    const type = typeOf(urn);
    if (!Object.hasOwn(kinds, type)) throw new Error(unknownType(name, type, kinds));
    return kinds[type]!;
  };
  /** The inputs in the state define the requested values, so no computed output may have the name of an input. */
  const outputs = (kind: AnyResourceKind, inputs: Properties, computed: Properties): Properties => {
    const clash = Object.keys(computed).find((key) => Object.hasOwn(kind.inputs.shape, key));
    if (clash !== undefined) throw new Error(`${clash} is an input and cannot be computed`);
    const wrapped = Object.entries(computed).map(([key, value]) => [
      key,
      kind.secretOutputs?.includes(key) ? secret(value) : value,
    ]);
    const meta = kind.schemaVersion && { __meta: JSON.stringify({ schema_version: String(kind.schemaVersion) }) };
    const inner = Object.entries(kind.innerDefaults ?? {})
      .filter(([key]) => Object.hasOwn(inputs, key))
      .map(([key, value]) => [key, completed(inputs[key], value)]);
    return { ...kind.defaults, ...inputs, ...Object.fromEntries([...inner, ...wrapped]), ...meta };
  };

  return {
    version,
    schema: JSON.stringify({ name, version }),

    async check(urn: string, _olds: Properties, news: Properties) {
      updates = true;
      const type = typeOf(urn);
      if (!Object.hasOwn(kinds, type))
        return { inputs: news, failures: [{ property: "", reason: unknownType(name, type, kinds) }] };
      return { inputs: news, failures: failuresOf(kindOf(urn), unwrapAll(news)) };
    },

    async diff(_id: string, urn: string, olds: Properties, news: Properties) {
      const kind = kindOf(urn);
      const [before, after] = [unwrapAll(stateOf(kind, olds)), unwrapAll(news)];
      const changed = changedNames(Object.keys(kind.inputs.shape), before, after);
      const updatable = new Set([...(kind.updatable ?? []), ...(kind.adaptable?.(before, after) ?? [])]);
      const replaces = changed.filter((property) => !updatable.has(property));
      const drift = before[driftProperty] as Drift | undefined;
      if (drift?.repair === "replace") replaces.push(driftProperty);
      const deleteBeforeReplace = kind.deleteBeforeReplace?.(before, after) ?? false;
      if (deleteBeforeReplace && replaces.length > 0) replaced.set(urn, replaces);
      return { changes: changed.length > 0 || drift !== undefined, replaces, deleteBeforeReplace };
    },

    async create(urn: string, inputs: Properties) {
      const kind = kindOf(urn);
      refuseInvalid(kind, urn, inputs);
      const { id, outputs: computed } = await kind.create(unwrapAll(inputs), context(urn));
      return { id, outs: outputs(kind, inputs, computed) };
    },

    async read(id: string, urn: string, properties: Properties) {
      const kind = kindOf(urn);
      const { [driftProperty]: _, ...state } = stateOf(kind, properties);
      const reading = kind.read ? await kind.read(id, unwrapAll(state), context(urn)) : {};
      if (!reading) return { id: "", props: {} };
      const drift: Drift | undefined = reading.drift?.length
        ? { found: reading.drift, repair: reading.repair ?? "replace" }
        : undefined;
      const props = { ...outputs(kind, state, reading.outputs ?? {}), ...(drift ? { [driftProperty]: drift } : {}) };
      const inputs = Object.fromEntries(Object.entries(state).filter(([key]) => Object.hasOwn(kind.inputs.shape, key)));
      return { id, props, inputs };
    },

    async update(id: string, urn: string, olds: Properties, news: Properties) {
      const kind = kindOf(urn);
      refuseInvalid(kind, urn, news);
      const before = stateOf(kind, olds);
      const computed = await kind.update?.(id, unwrapAll(before), unwrapAll(news), context(urn));
      const keep = Object.entries(before).filter(
        ([key]) => key !== driftProperty && key !== officialForm && !Object.hasOwn(kind.inputs.shape, key),
      );
      return { outs: { ...Object.fromEntries(keep), ...outputs(kind, news, computed ?? {}) } };
    },

    async delete(id: string, urn: string, properties: Properties) {
      const kind = kindOf(urn);
      const state = unwrapAll(stateOf(kind, properties));
      await kind.delete?.(id, state, { ...context(urn), replacedFor: updates ? replaced.get(urn) : undefined });
    },

    async cancel() {
      cancelled.abort(new Error("the update was cancelled"));
    },
  };
}

function unknownType(name: string, type: string, kinds: Readonly<Record<string, unknown>>): string {
  const served = Object.keys(kinds).join(", ");
  return `the stand-in ${name} provider does not support the resource type ${type}, only ${served}; use the official provider`;
}

/** @throws Error if a client creates or updates what `check` refuses */
function refuseInvalid(kind: AnyResourceKind, urn: string, inputs: Properties): void {
  const [failure] = failuresOf(kind, unwrapAll(inputs));
  if (failure !== undefined) throw new Error(`${urn}: ${failure.property}: ${failure.reason}`);
}

function failuresOf(kind: AnyResourceKind, inputs: Properties): { property: string; reason: string }[] {
  const result = kind.inputs.safeParse(inputs);
  if (result.success) return [];
  return result.error.issues
    .filter(({ path }) => !pathIsUnknown(inputs, path))
    .flatMap((issue) =>
      issue.code === "unrecognized_keys"
        ? issue.keys.map((key) => ({
            property: [...issue.path, key].join("."),
            reason: "the stand-in provider does not support this property; use the official provider",
          }))
        : [{ property: issue.path.join("."), reason: issue.message }],
    );
}

/** During a preview an input or its parent may be unknown; such inputs are not validated. */
function pathIsUnknown(inputs: unknown, path: readonly PropertyKey[]): boolean {
  let value: unknown = inputs;
  for (const step of path) {
    if (isUnknown(value)) return true;
    value = typeof value === "object" && value !== null ? (value as Record<PropertyKey, unknown>)[step] : undefined;
  }
  return isUnknown(value);
}
