import type { provider as pulumi } from "@pulumi/pulumi";
import { type StandIn, typeOf } from "./provider.ts";
import type { Properties } from "./values.ts";

/**
 * One provider for the resources of several, each of which is loaded when the first resource of its package comes.
 * @param version the engine wants that of the package or a newer one, whichever package it is
 * @param load the stand-ins by the name of their package, as types begin with it: `docker:index/network:Network`
 */
export function together(version: string, load: Readonly<Record<string, () => Promise<StandIn>>>): pulumi.Provider {
  const loaded = new Map<string, Promise<StandIn>>();
  const providerOf = (urn: string): Promise<StandIn> => {
    const name = typeOf(urn).split(":")[0]!;
    const begun = loaded.get(name);
    if (begun) return begun;
    if (!Object.hasOwn(load, name)) throw new Error(`no stand-in provider serves ${typeOf(urn)}`);
    const loading = load[name]!();
    loaded.set(name, loading);
    return loading;
  };
  return {
    version,
    schema: JSON.stringify({ name: "stand-ins", version }),
    check: async (urn: string, olds: Properties, news: Properties) => (await providerOf(urn)).check(urn, olds, news),
    diff: async (id: string, urn: string, olds: Properties, news: Properties) => (await providerOf(urn)).diff(id, urn, olds, news),
    create: async (urn: string, inputs: Properties) => (await providerOf(urn)).create(urn, inputs),
    read: async (id: string, urn: string, properties: Properties) => (await providerOf(urn)).read(id, urn, properties),
    update: async (id: string, urn: string, olds: Properties, news: Properties) => (await providerOf(urn)).update(id, urn, olds, news),
    delete: async (id: string, urn: string, properties: Properties) => (await providerOf(urn)).delete(id, urn, properties),
    async cancel() {
      for (const provider of await Promise.all(loaded.values())) await provider.cancel();
    },
  };
}
