import { mergeOptions } from "@pulumi/pulumi";
import type { ResourceTransformation } from "@pulumi/pulumi";

/** Pulumi's name of a part of a component. */
export type ResourceNames = (part: string) => string;

/**
 * Each begins with the component's own: a URN holds the types of a resource's parents and not their names, so that the parts of two
 * components of one program would be the same resources.
 */
export const resourceNames =
  (component: string): ResourceNames =>
  (part) =>
    `${component}-${part}`;

/** What {@link resourceNames} made a name of; undefined for other names. */
export function partOf(component: string, name: string): string | undefined {
  const start = resourceNames(component)("");
  return name.startsWith(start) ? name.slice(start.length) : undefined;
}

/** Earlier versions named the parts without their component: a stack of theirs keeps them, and its data. */
export function withFormerNames(component: string): ResourceTransformation {
  return ({ name, props, opts }) => {
    const part = partOf(component, name);
    return part === undefined ? undefined : { props, opts: mergeOptions(opts, { aliases: [{ name: part }] }) };
  };
}
