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
