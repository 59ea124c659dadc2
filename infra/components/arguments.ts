import type { GroupedInputs } from "../settings/groups.ts";

/**
 * Arguments of the component by group; each may be left out. All but those that decide which resources exist may be outputs of other resources.
 * docs/reference/settings.md describes each; an editor finds its declaration by "go to definition".
 */
export type RouteQLArgs = GroupedInputs;
