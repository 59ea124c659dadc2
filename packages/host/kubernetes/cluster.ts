import { setTimeout as sleep } from "node:timers/promises";
import { type ApiClient, ApiError, orUndefined } from "./client.ts";
import type { KubernetesObject, Reference } from "./objects.ts";

interface ApiResource {
  readonly name: string;
  readonly kind: string;
  readonly namespaced: boolean;
}

export interface ApplyOptions {
  readonly dryRun?: boolean;
  readonly signal?: AbortSignal | undefined;
}

/** Owns the fields that programs set; the names of the official provider's managers start with the same word. */
export const fieldManager = "pulumi-kubernetes";

/** Maximum seconds for which a kind may be unknown: its definition (CRD) may be new. */
const discoverySeconds = 20;

export class Cluster {
  readonly api: ApiClient;
  private readonly kinds = new Map<string, Promise<readonly ApiResource[]>>();

  constructor(api: ApiClient) {
    this.api = api;
  }

  /** Applies an object by server-side apply and takes over fields that others have changed; returns the resulting object. */
  async apply(object: KubernetesObject, { dryRun = false, signal }: ApplyOptions = {}): Promise<KubernetesObject> {
    const { name, namespace } = object.metadata;
    const path = await this.pathOf({ apiVersion: object.apiVersion, kind: object.kind, name, namespace }, signal);
    const query = new URLSearchParams({ fieldManager, force: "true", ...(dryRun ? { dryRun: "All" } : {}) });
    return this.api.json({
      method: "PATCH",
      path: `${path}?${query.toString()}`,
      body: object,
      contentType: "application/apply-patch+yaml",
      signal,
    });
  }

  /** Undefined when the object or its kind does not exist. */
  async get(reference: Reference, signal?: AbortSignal): Promise<KubernetesObject | undefined> {
    const resource = await this.find(reference);
    if (!resource) return undefined;
    return orUndefined(this.api.json({ method: "GET", path: this.objectPath(reference, resource), signal }));
  }

  async list(
    reference: Omit<Reference, "name">,
    labels: Readonly<Record<string, string>>,
    signal?: AbortSignal,
  ): Promise<readonly KubernetesObject[]> {
    const path = (await this.pathOf({ ...reference, name: "" }, signal)).replace(/\/$/, "");
    const selector = Object.entries(labels).map(([key, value]) => `${key}=${value}`);
    const query = new URLSearchParams({ labelSelector: selector.join(",") });
    const { items } = await this.api.json<{ items: readonly KubernetesObject[] }>({
      method: "GET",
      path: `${path}?${query.toString()}`,
      signal,
    });
    return items;
  }

  /** Requests the deletion of an object, which may take time. A missing object is no error. */
  async delete(reference: Reference, propagationPolicy: string, signal?: AbortSignal): Promise<void> {
    const resource = await this.find(reference);
    if (!resource) return;
    const body = { apiVersion: "v1", kind: "DeleteOptions", propagationPolicy };
    await orUndefined(this.api.json({ method: "DELETE", path: this.objectPath(reference, resource), body, signal }));
  }

  /** @param of `previous`: of the container before its last restart */
  logTail(
    namespace: string,
    pod: string,
    container: string,
    lines: number,
    signal?: AbortSignal,
    of: { readonly previous?: boolean } = {},
  ): Promise<string> {
    const query = new URLSearchParams({ container, tailLines: String(lines) });
    if (of.previous === true) query.set("previous", "true");
    const path = `/api/v1/namespaces/${namespace}/pods/${pod}/log?${query.toString()}`;
    return this.api.text({ method: "GET", path, signal });
  }

  /** @throws Error when the cluster does not serve the kind */
  async isNamespaced(reference: Pick<Reference, "apiVersion" | "kind">, signal?: AbortSignal): Promise<boolean> {
    return (await this.mustFind(reference, signal)).namespaced;
  }

  private async pathOf(reference: Reference, signal?: AbortSignal): Promise<string> {
    return this.objectPath(reference, await this.mustFind(reference, signal));
  }

  private objectPath({ apiVersion, name, namespace }: Reference, resource: ApiResource): string {
    const scope = resource.namespaced
      ? `/namespaces/${encodeURIComponent(namespace ?? this.api.defaultNamespace)}`
      : "";
    return `${groupPath(apiVersion)}${scope}/${resource.name}/${encodeURIComponent(name)}`;
  }

  private async mustFind(
    reference: Pick<Reference, "apiVersion" | "kind">,
    signal?: AbortSignal,
  ): Promise<ApiResource> {
    for (let second = 0; ; second++) {
      const resource = await this.find(reference);
      if (resource) return resource;
      if (second >= discoverySeconds) break;
      await sleep(1000, undefined, { signal });
    }
    const { apiVersion, kind } = reference;
    throw new Error(
      `the cluster at ${this.api.server} does not serve the kind ${kind} of ${apiVersion}: ` +
        "install its operator and CustomResourceDefinitions, or choose a setting that does not need it",
    );
  }

  private async find({ apiVersion, kind }: Pick<Reference, "apiVersion" | "kind">): Promise<ApiResource | undefined> {
    let kinds = this.kinds.get(apiVersion);
    if (!kinds) {
      kinds = this.discover(apiVersion);
      this.kinds.set(apiVersion, kinds);
    }
    // A missing kind may appear; a failed request may succeed the next time.
    const found = await kinds.catch((error: unknown) => {
      this.kinds.delete(apiVersion);
      throw error;
    });
    const resource = found.find((entry) => entry.kind === kind && !entry.name.includes("/"));
    if (!resource) this.kinds.delete(apiVersion);
    return resource;
  }

  private async discover(apiVersion: string): Promise<readonly ApiResource[]> {
    try {
      const { resources } = await this.api.json<{ resources: readonly ApiResource[] }>({
        method: "GET",
        path: groupPath(apiVersion),
      });
      return resources;
    } catch (error) {
      if (error instanceof ApiError && error.code === 404) return [];
      throw error;
    }
  }
}

const groupPath = (apiVersion: string): string =>
  apiVersion.includes("/") ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
