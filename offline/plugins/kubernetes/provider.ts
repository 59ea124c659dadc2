import { type Cluster, fieldManager } from "@routeql/host/kubernetes/cluster";
import { ApiError } from "@routeql/host/kubernetes/client";
import { conditionOf, type KubernetesObject, nameOf } from "@routeql/host/kubernetes/objects";
import { deleteAndWait, NotReady, untilReady } from "@routeql/host/kubernetes/await";
import {
  completed,
  desiredObject,
  driftProperty,
  idOf,
  inputsProperty,
  nameIn,
  parseId,
  parseToken,
  referenceTo,
  wasAutonamed,
} from "./state/desired.ts";
import { differences, differencesAmong, hasUnknown, type Path, pathText, replacingPaths } from "./state/changes.ts";
import { type StandIn, typeOf } from "../shared/provider.ts";
import { isObject, isSecret, type Properties, secret, unwrap, unwrapAll } from "../shared/values.ts";

/** Wraps each value of an object from the cluster that is secret in the inputs, at any depth. */
export function keepSecret(inputs: unknown, live: unknown): unknown {
  if (live === undefined || live === null) return live;
  if (isSecret(inputs)) return secret(live);
  if (isObject(inputs) && isObject(live)) {
    return Object.fromEntries(Object.entries(live).map(([name, value]) => [name, keepSecret(inputs[name], value)]));
  }
  if (Array.isArray(inputs) && Array.isArray(live)) return live.map((entry, index) => keepSecret(inputs[index], entry));
  return live;
}

export function hideSecretData(object: Properties): Properties {
  if (object["kind"] !== "Secret") return object;
  const hide = (name: string): Properties =>
    object[name] === undefined ? {} : { [name]: secret(unwrap(object[name])) };
  return { ...object, ...hide("data"), ...hide("stringData") };
}

/** The state of one resource: the last seen object, its inputs, and drift found by a refresh. */
type State = Properties;

const nameOfUrn = (urn: string): string => urn.split("::").at(-1) ?? "";

/** Changes with every write, so it is no drift. */
function withoutNoise(object: KubernetesObject): KubernetesObject {
  const { managedFields: _managers, ...metadata } = object.metadata;
  return { ...object, metadata };
}

function stateOf(inputs: Properties, live: KubernetesObject): State {
  const plain = withoutNoise(live);
  const seen = keepSecret(inputs, plain) as Properties;
  const given = inputs["stringData"] === undefined ? {} : { stringData: inputs["stringData"] };
  return { ...hideSecretData({ ...seen, ...given }), [inputsProperty]: inputs };
}

/** Any kind of the Kubernetes API by server-side apply, with replacement, waits and repair of drift. @param connect called when needed */
export function kubernetesProvider(version: string, connect: () => Cluster): StandIn {
  const cancelled = new AbortController();
  const { signal } = cancelled;
  let connected: Cluster | undefined;
  const cluster = (): Cluster => (connected ??= connect());

  async function desired(inputs: Properties): Promise<KubernetesObject> {
    const plain = unwrapAll(inputs);
    const { apiVersion, kind } = plain as { apiVersion: string; kind: string };
    const namespaced = await cluster().isNamespaced({ apiVersion, kind }, signal);
    const given = (plain["metadata"] as { namespace?: string } | undefined)?.namespace;
    return desiredObject(plain, namespaced ? (given ?? cluster().api.defaultNamespace) : undefined);
  }

  /** Applies the object, waits, and returns its id and state. An object that exists but is not ready stays in the state with the reason. */
  async function applyAndWait(inputs: Properties, object: KubernetesObject): Promise<{ id: string; outs: State }> {
    const applied = await cluster().apply(object, { signal });
    try {
      const live = await untilReady(applied, referenceTo(applied), cluster(), signal);
      return { id: idOf(live), outs: stateOf(inputs, live) };
    } catch (error) {
      const live = error instanceof NotReady ? error.object : applied;
      const reasons =
        error instanceof NotReady ? error.reasons : [error instanceof Error ? error.message : String(error)];
      throw Object.assign(error instanceof Error ? error : new Error(String(error)), {
        id: idOf(live),
        properties: stateOf(inputs, live),
        reasons,
      });
    }
  }

  return {
    version,
    schema: JSON.stringify({ name: "kubernetes", version }),

    async check(urn: string, olds: Properties, news: Properties) {
      try {
        return { inputs: completed(news, olds, parseToken(typeOf(urn)), nameOfUrn(urn)), failures: [] };
      } catch (error) {
        return { inputs: news, failures: [{ property: "", reason: (error as Error).message }] };
      }
    },

    async diff(_id: string, _urn: string, olds: State, news: Properties) {
      const before = unwrapAll(olds[inputsProperty] as Properties | undefined);
      const after = unwrapAll(news);
      const type = after as unknown as { apiVersion: string; kind: string };
      const deleteBeforeReplace = nameIn(before) === nameIn(after) && !wasAutonamed(after);
      const changed = differences(before, after);
      const drifted = ((olds[driftProperty] as string[] | undefined) ?? []).map((path) => path.split("."));
      const result = (found: readonly Path[], replaces: readonly string[]) => ({
        changes: found.length > 0 || replaces.length > 0,
        replaces: [...replaces],
        deleteBeforeReplace,
      });
      const replaces = replacingPaths(type, [...changed, ...drifted]);
      if (replaces.length > 0 || (changed.length === 0 && drifted.length === 0)) return result(changed, replaces);
      if (hasUnknown(after)) return result(changed, []);
      const tried = await tryApply(after);
      if (tried === undefined) return result(changed, []);
      if (Array.isArray(tried)) return result(changed, tried);
      return result(
        [
          ...differencesAmong(
            [desiredObject(before, undefined), desiredObject(after, undefined)],
            unwrapAll(olds),
            tried,
          ),
          ...drifted,
        ],
        [],
      );
    },

    async create(_urn: string, inputs: Properties) {
      const object = await desired(inputs);
      const present = await cluster().get(referenceTo(object), signal);
      if (present) await takeOver(present, object);
      return applyAndWait(inputs, object);
    },

    async read(id: string, urn: string, properties: State) {
      const type = parseToken(typeOf(urn));
      const live = await cluster().get({ ...type, ...parseId(id) }, signal);
      if (!live) return { id: "", props: {} };
      const inputs = (properties?.[inputsProperty] as Properties | undefined) ?? importedInputs(live);
      const found = await driftOf(inputs, live);
      const props = { ...stateOf(inputs, live), ...(found.length > 0 ? { [driftProperty]: found } : {}) };
      return { id: idOf(live), inputs, props };
    },

    async update(_id: string, _urn: string, _olds: State, news: Properties) {
      const { outs } = await applyAndWait(news, await desired(news));
      return { outs };
    },

    async delete(id: string, urn: string) {
      await deleteAndWait({ ...parseToken(typeOf(urn)), ...parseId(id) }, cluster(), signal);
    },

    async cancel() {
      cancelled.abort(new Error("the update was cancelled"));
    },
  };

  /** The object after a dry run on the server, with the paths of immutable changes; undefined if only the update itself can determine it. */
  async function tryApply(inputs: Properties): Promise<KubernetesObject | string[] | undefined> {
    try {
      return await cluster().apply(await desired(inputs), { dryRun: true, signal });
    } catch (error) {
      if (error instanceof ApiError && error.immutableFields.length > 0) return [...error.immutableFields];
      if (error instanceof ApiError) return undefined;
      throw error;
    }
  }

  /** Changes by other clients to declared fields. */
  async function driftOf(inputs: Properties, live: KubernetesObject): Promise<string[]> {
    const plain = unwrapAll(inputs);
    const wanted = await tryApply(plain);
    if (wanted === undefined) return [];
    if (Array.isArray(wanted)) return wanted;
    return differencesAmong([desiredObject(plain, undefined)], live, wanted).map(pathText);
  }

  /** An interrupted update leaves objects that are missing in its state. Only objects with our field manager may be adopted. */
  async function takeOver(present: KubernetesObject, object: KubernetesObject): Promise<void> {
    const instance = "app.kubernetes.io/instance";
    const ours = present.metadata.managedFields?.some(
      ({ manager, operation }) => manager === fieldManager && operation === "Apply",
    );
    if (!ours || present.metadata.labels?.[instance] !== object.metadata.labels?.[instance]) {
      throw new Error(
        `${nameOf(referenceTo(object))} already exists and was not created by this stack: delete it, choose another name or namespace, or import it (pulumi import)`,
      );
    }
    const isFailed = present.kind === "Job" && conditionOf(present, "Failed")?.status === "True";
    if (isFailed || present.metadata.deletionTimestamp !== undefined)
      await deleteAndWait(referenceTo(present), cluster(), signal);
  }
}

/** For `import` and `get`: all fields except those that only the server writes. */
function importedInputs(live: KubernetesObject): Properties {
  const { status: _status, metadata, ...rest } = live;
  const { name, namespace, labels, annotations } = metadata;
  return {
    ...rest,
    metadata: {
      name,
      ...(namespace === undefined ? {} : { namespace }),
      ...(labels ? { labels } : {}),
      ...(annotations ? { annotations } : {}),
    },
  };
}
