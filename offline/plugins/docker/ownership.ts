import { stateLabel } from "@routeql/host/docker/stack-objects";
import { z } from "zod";

/** Resources of an interrupted run may be adopted: they have the stack's labels. Earlier versions set no label of the state. */
export const stackLabel = "com.routeql.stack";

export const labelInputs = z.array(z.strictObject({ label: z.string(), value: z.string() })).optional();

export const labelsOf = (labels: readonly { label: string; value: string }[] | undefined): Record<string, string> =>
  Object.fromEntries((labels ?? []).map(({ label, value }) => [label, value]));

type Labels = Readonly<Record<string, string>> | null | undefined;

/** @throws Error with the resource's name if another state created it */
export function refuseOtherState(what: string, name: string, wanted: Labels, found: Labels): void {
  const [mine, other] = [wanted?.[stateLabel], found?.[stateLabel]];
  if (other === undefined || mine === undefined || other === mine) return;
  throw new Error(
    `a ${what} named ${name} already exists and belongs to another Pulumi state (${other}); use another stack name, or remove it`,
  );
}

/** @throws Error with the name of the conflicting resource */
export function assertOurs(what: string, name: string, wanted: Labels, found: Labels): void {
  refuseOtherState(what, name, wanted, found);
  const ours = wanted?.[stackLabel];
  if (ours !== undefined && found?.[stackLabel] === ours) return;
  throw new Error(`a ${what} named ${name} already exists and does not belong to this stack; remove or rename it`);
}
