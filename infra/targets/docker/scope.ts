import type { CustomResourceOptions, Input } from "@pulumi/pulumi";
import { stateLabel } from "@routeql/host/ownership";
import type { ResourceNames } from "../../resource-names.ts";
import type { ServiceName } from "../../description/service.ts";

export interface Scope {
  /** Prefix of every name: `routeql-<stack>`. */
  readonly prefix: string;
  readonly stack: string;
  readonly state?: Input<string> | undefined;
  readonly dataVolume?: string | undefined;
  readonly named: ResourceNames;
}

export interface Label {
  readonly label: string;
  readonly value: Input<string>;
}

/** Labels of an object of the stack, or of one of its services; the commands find a stack's objects by them. */
export function labels(
  { stack, state }: Scope,
  service?: ServiceName,
  more: Readonly<Record<string, Input<string>>> = {},
): Label[] {
  return [
    { label: "com.routeql.stack", value: stack },
    ...(state === undefined ? [] : [{ label: stateLabel, value: state }]),
    ...(service === undefined ? [] : [{ label: "com.routeql.service", value: service }]),
    ...Object.entries(more).map(([name, value]) => ({ label: `com.routeql.${name}`, value })),
  ];
}

/** Names are fixed, so the old object is deleted before the new one is created. */
export const replaceInPlace = { deleteBeforeReplace: true } satisfies CustomResourceOptions;
