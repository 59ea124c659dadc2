import { flushCompileCache } from "node:module";
import type { provider as pulumi } from "@pulumi/pulumi";
// Not the package's main entry, which also loads npm's and TypeScript's code: a third of a second for each plugin.
import { main } from "@pulumi/pulumi/provider/index.js";
import requests from "@pulumi/pulumi/proto/provider_pb.js";
import { guardGrpcServers } from "@routeql/host/own-peers";
import { type StandIn, stateInputs, typeOf } from "./provider.ts";
import type { Properties } from "./values.ts";

/** Milliseconds between checks that Pulumi still runs. */
const watchInterval = 1000;

/** Whether the Pulumi that started this process still runs. */
export function startedByPulumi(): () => boolean {
  const pulumi = process.ppid;
  return () => process.ppid === pulumi;
}

/** Exits this plugin when Pulumi has exited: a killed Pulumi cannot stop its plugins. */
function endWithPulumi(pulumiRuns: () => boolean): void {
  setInterval(() => {
    if (!pulumiRuns()) process.exit(1);
  }, watchInterval).unref();
}

interface Struct {
  toJavaScript: () => Properties;
}

/** Pulumi sends the inputs in the state, but Pulumi's SDK passes on only the outputs, so these carry them as a property. */
function passStateInputs(): void {
  const { DiffRequest, UpdateRequest, ReadRequest, DeleteRequest } = requests;
  for (const [request, outputs, inputs] of [
    [DiffRequest, "getOlds", "getOldInputs"],
    [UpdateRequest, "getOlds", "getOldInputs"],
    [ReadRequest, "getProperties", "getInputs"],
    [DeleteRequest, "getProperties", "getOldInputs"],
  ] as const) {
    const methods = request.prototype as unknown as Record<string, () => Struct | undefined>;
    const given = methods[outputs]!;
    methods[outputs] = function (this: typeof methods) {
      const struct = given.call(this);
      const known = this[inputs]!()?.toJavaScript();
      if (struct === undefined || known === undefined) return struct;
      const both = { ...struct.toJavaScript(), [stateInputs]: known };
      return Object.assign(Object.create(struct) as Struct, { toJavaScript: () => both });
    };
  }
}

/** Serves a provider as long as Pulumi runs, and prints the port. The last argument is the address of the Pulumi that started this process. */
export async function serveProvider(
  provider: pulumi.Provider,
  pulumiRuns: () => boolean = startedByPulumi(),
): Promise<void> {
  endWithPulumi(pulumiRuns);
  passStateInputs();
  guardGrpcServers();
  await main(provider, process.argv.slice(2));
  // Node writes it at exit, but Pulumi kills its plugins.
  flushCompileCache();
}

/** One provider for several packages, loaded on demand. @param version that Pulumi requires @param load by package name */
export function together(version: string, load: Readonly<Record<string, () => Promise<StandIn>>>): pulumi.Provider {
  const loaded = new Map<string, Promise<StandIn>>();
  const providerOf = (urn: string): Promise<StandIn> => {
    const name = typeOf(urn).split(":")[0]!;
    const begun = loaded.get(name);
    if (begun) return begun;
    if (!Object.hasOwn(load, name)) throw new Error(`no stand-in provider supports ${typeOf(urn)}`);
    const loading = load[name]!();
    loaded.set(name, loading);
    return loading;
  };
  return {
    version,
    schema: JSON.stringify({ name: "stand-ins", version }),
    check: async (urn: string, olds: Properties, news: Properties) => (await providerOf(urn)).check(urn, olds, news),
    diff: async (id: string, urn: string, olds: Properties, news: Properties) =>
      (await providerOf(urn)).diff(id, urn, olds, news),
    create: async (urn: string, inputs: Properties) => (await providerOf(urn)).create(urn, inputs),
    read: async (id: string, urn: string, properties: Properties) => (await providerOf(urn)).read(id, urn, properties),
    update: async (id: string, urn: string, olds: Properties, news: Properties) =>
      (await providerOf(urn)).update(id, urn, olds, news),
    delete: async (id: string, urn: string, properties: Properties) =>
      (await providerOf(urn)).delete(id, urn, properties),
    async cancel() {
      for (const provider of await Promise.all(loaded.values())) await provider.cancel();
    },
  };
}
