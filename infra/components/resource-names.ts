import { mergeOptions } from "@pulumi/pulumi";
import type { ResourceTransformation } from "@pulumi/pulumi";

/** Builds Pulumi's name of a resource that belongs to a component. */
export type ResourceNames = (part: string) => string;

/**
 * Each name begins with the component's name. A URN contains the types of a resource's parents, not their names. Without the prefix the
 * resources of two components in one program would have the same URN.
 */
export const resourceNames =
  (component: string): ResourceNames =>
  (part) =>
    `${component}-${part}`;

/** Reverses {@link resourceNames}; undefined for other names. */
export function partOf(component: string, name: string): string | undefined {
  const start = resourceNames(component)("");
  return name.startsWith(start) ? name.slice(start.length) : undefined;
}

/** Earlier versions used names without the component's prefix. The aliases keep the resources and data of their stacks. */
export function withFormerNames(component: string): ResourceTransformation {
  return ({ name, props, opts }) => {
    const part = partOf(component, name);
    return part === undefined ? undefined : { props, opts: mergeOptions(opts, { aliases: [{ name: part }] }) };
  };
}
