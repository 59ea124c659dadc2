/** Builds Pulumi's name of a resource that belongs to a component. */
export type ResourceNames = (part: string) => string;

/** Begins with the component's name: a URN has no names of parents, so two components of one program would clash. */
export const resourceNames =
  (component: string): ResourceNames =>
  (part) =>
    `${component}-${part}`;

/** Reverses {@link resourceNames}; undefined for other names. */
export function partOf(component: string, name: string): string | undefined {
  const start = resourceNames(component)("");
  return name.startsWith(start) ? name.slice(start.length) : undefined;
}
