import type { ComponentResourceOptions, Inputs, provider as pulumi } from "@pulumi/pulumi";
import { RouteQL } from "../components/routeql.ts";
import { componentType } from "../components/state-identity.ts";
import { release } from "../release.ts";
import { folderOf } from "./archives.ts";
import { folderSettings, outputsOf, packageSchema } from "./schema.ts";

/** The component for programs in every language that Pulumi supports. */
export const provider: pulumi.Provider = {
  version: release.version,
  getSchema: () => Promise.resolve(JSON.stringify(packageSchema())),
  /** @throws {SettingsError} with all invalid arguments */
  async construct(name: string, type: string, inputs: Inputs, options: ComponentResourceOptions) {
    if (type !== componentType)
      throw new Error(`The package routeql has no resource ${type}. It has ${componentType}.`);
    const { protectData = true, ...args } = inputs;
    for (const folder of folderSettings) args[folder] = await folderOf(args[folder]);
    const component = new RouteQL(name, args, { ...options, protectData: Boolean(protectData) });
    return { urn: component.urn, state: outputsOf(component) };
  },
};
