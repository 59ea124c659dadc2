import type { V1LabelSelector } from "@kubernetes/client-node";

type Labels = Readonly<Record<string, string>>;

/** Whether labels match a selector; an empty selector matches everything (Kubernetes API, LabelSelector). */
export function selects({ matchLabels = {}, matchExpressions = [] }: V1LabelSelector, labels: Labels = {}): boolean {
  return (
    Object.entries(matchLabels).every(([key, value]) => labels[key] === value) &&
    matchExpressions.every(({ key, operator, values = [] }) => {
      const value = labels[key];
      switch (operator) {
        case "In":
          return value !== undefined && values.includes(value);
        case "NotIn":
          return value === undefined || !values.includes(value);
        case "Exists":
          return value !== undefined;
        case "DoesNotExist":
          return value === undefined;
        default:
          throw new Error(`a selector's operator is unknown: ${operator}`);
      }
    })
  );
}
