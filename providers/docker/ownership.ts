/**
 * What an interrupted run leaves behind carries the stack's labels. Only such things may be taken over. A thing of the same name without
 * the labels, of another stack or of another state belongs to another owner. Earlier versions set no label of the state.
 */
export const stackLabel = "com.routeql.stack";
const stateLabel = "com.routeql.state";

export const labelsInput = (labels: readonly { label: string; value: string }[] | undefined): Record<string, string> =>
  Object.fromEntries((labels ?? []).map(({ label, value }) => [label, value]));

type Labels = Readonly<Record<string, string>> | null | undefined;

/** @throws Error naming the thing, when another state has made it */
export function refuseOtherState(what: string, name: string, wanted: Labels, found: Labels): void {
  const [mine, other] = [wanted?.[stateLabel], found?.[stateLabel]];
  if (other === undefined || mine === undefined || other === mine) return;
  throw new Error(`a ${what} named ${name} exists already and belongs to another Pulumi state (${other}); use another stack name, or remove it`);
}

/** @throws Error naming the thing that is in the way */
export function assertOurs(what: string, name: string, wanted: Labels, found: Labels): void {
  refuseOtherState(what, name, wanted, found);
  const ours = wanted?.[stackLabel];
  if (ours !== undefined && found?.[stackLabel] === ours) return;
  throw new Error(`a ${what} named ${name} exists already and does not belong to this stack; remove or rename it`);
}
