import type { Input } from "@pulumi/pulumi";
import type { GivenSettings, SecretSettingName, settings } from "../settings/list.ts";

/**
 * Arguments of the component; each may be left out. Secrets may be outputs of other resources.
 * docs/reference/settings.md describes each; an editor finds its declaration by "go to definition".
 */
export type RouteQLArgs = {
  readonly [Name in keyof typeof settings]?: Name extends SecretSettingName ? Input<string> : GivenSettings[Name];
};
