import { z } from "zod";

export const labelInputs = z.array(z.strictObject({ label: z.string(), value: z.string() })).optional();

export const labelsOf = (labels: readonly { label: string; value: string }[] | undefined): Record<string, string> =>
  Object.fromEntries((labels ?? []).map(({ label, value }) => [label, value]));
