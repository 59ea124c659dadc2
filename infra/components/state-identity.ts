import { createUrn, type CustomResourceOptions, type Output } from "@pulumi/pulumi";
import { RandomId } from "@pulumi/random";
import { resourceNames } from "./resource-names.ts";

/** Type of the component in Pulumi's state. */
export const componentType = "routeql:index:RouteQL";

/**
 * Identity of the Pulumi state, a label of every object of the stack. It distinguishes two stacks with the same name on one Docker
 * engine.
 * @param component the component's name
 */
export const stateIdentity = (component: string, options: CustomResourceOptions): Output<string> =>
  new RandomId(resourceNames(component)("state-identity"), { byteLength: 8 }, options).hex;

/**
 * The same identity outside of the component, so that a program can check it before it creates the component. Existing states have it
 * as a child of the component.
 */
export function stateIdentityOfProgram(component: string, protect: boolean): Output<string> {
  const parent = createUrn(component, componentType);
  return stateIdentity(component, { protect, aliases: [{ parent }] });
}
