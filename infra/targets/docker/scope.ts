import type { CustomResourceOptions, Input } from "@pulumi/pulumi";
import type { ResourceNames } from "../../components/resource-names.ts";
import type { ServiceName } from "../../services/description.ts";

/** What the names and labels of one stack's Docker objects are made of. */
export interface Scope {
  /** Begins every name: `routeql-<stack>`. */
  readonly prefix: string;
  readonly stack: string;
  readonly named: ResourceNames;
}

export interface Label {
  readonly label: string;
  readonly value: Input<string>;
}

/** Labels of an object of the stack, or of one service of it; with them the tools find what belongs to a stack. */
export function labels({ stack }: Scope, service?: ServiceName, more: Readonly<Record<string, Input<string>>> = {}): Label[] {
  return [
    { label: "com.routeql.stack", value: stack },
    ...(service === undefined ? [] : [{ label: "com.routeql.service", value: service }]),
    ...Object.entries(more).map(([name, value]) => ({ label: `com.routeql.${name}`, value })),
  ];
}

/** Names are fixed, so the old object has to be gone before the new one is made. */
export const replaceInPlace = { deleteBeforeReplace: true } satisfies CustomResourceOptions;
