import { createUrn, type CustomResourceOptions, type Output } from "@pulumi/pulumi";
import { RandomId } from "@pulumi/random";
import { resourceNames } from "../resource-names.ts";

export const componentType = "routeql:index:RouteQL";

/** Identity of the Pulumi state, a label of every object: it distinguishes stacks with the same name on one Docker engine. */
export const stateIdentity = (component: string, options: CustomResourceOptions): Output<string> =>
  new RandomId(resourceNames(component)("state-identity"), { byteLength: 8 }, options).hex;

/** The same identity outside of the component, for checks before it is created. Existing states have it as the component's child. */
export function stateIdentityOfProgram(component: string, protect: boolean): Output<string> {
  const parent = createUrn(component, componentType);
  return stateIdentity(component, { protect, aliases: [{ parent }] });
}
