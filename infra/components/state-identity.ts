import { createUrn, type CustomResourceOptions, type Output, ResourceHook } from "@pulumi/pulumi";
import { RandomId } from "@pulumi/random";
import { resourceNames } from "../resource-names.ts";

export const componentType = "routeql:index:RouteQL";

/** Identity of the Pulumi state, a label of every object: it distinguishes stacks with the same name on one Docker daemon. */
export const stateIdentity = (component: string, options: CustomResourceOptions): Output<string> =>
  new RandomId(resourceNames(component)("state-identity"), { byteLength: 8 }, options).hex;

/**
 * The same identity outside of the component. Existing states have it as the component's child.
 * @param refusal of a state without an identity, also in a preview: nothing is created, so that the refused state has no resources to delete
 */
export function stateIdentityOfProgram(
  component: string,
  protect: boolean,
  refusal: Error | undefined,
): Output<string> {
  const options = { protect, aliases: [{ parent: createUrn(component, componentType) }] };
  if (refusal === undefined) return stateIdentity(component, options);
  const refuse = new ResourceHook("owner-of-the-stack", () => Promise.reject(refusal), { onDryRun: true });
  return stateIdentity(component, { ...options, hooks: { beforeCreate: [refuse] } });
}
