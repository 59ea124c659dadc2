import { RunError, log, runtime } from "@pulumi/pulumi";
import type { ResourceTransformArgs } from "@pulumi/pulumi";
import { serialized } from "../inputs.ts";
import { hidden } from "./rule.ts";
import type { AdvisoryLevel, Rule } from "./rule.ts";
import { rules, violationsOf } from "./rules.ts";

/** A serialized value for the rules: secrets are hidden, unknown values are undefined. */
function visible(value: unknown): unknown {
  if (value === runtime.unknownValue) return undefined;
  if (Array.isArray(value)) return value.map(visible);
  if (typeof value !== "object" || value === null) return value;
  if (runtime.isRpcSecret(value)) return hidden;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, visible(item)]));
}

/** Reports violations of advisory rules, as errors with the level `refuse`. @throws {RunError} before the resource is created */
export async function checkResource(
  { type, name, props }: Pick<ResourceTransformArgs, "type" | "name" | "props">,
  level: AdvisoryLevel = "warn",
): Promise<void> {
  const inputs = visible(await serialized(props)) as Record<string, unknown>;
  const isError = ({ advisory }: Rule): boolean => advisory !== true || level === "refuse";
  const problems = violationsOf({ type, name, inputs }, rules.filter(isError));
  if (problems.length > 0)
    throw new RunError(["This breaks a policy:", ...problems.map((problem) => `  ${problem}`)].join("\n"));
  if (level !== "warn") return;
  for (const problem of violationsOf(
    { type, name, inputs },
    rules.filter((rule) => !isError(rule)),
  ))
    await log.warn(problem);
}

/** Checks every resource that the program creates from now on, in previews and updates. */
export function enforcePolicies(level: AdvisoryLevel): void {
  runtime.registerResourceTransform(async (resource) => {
    if (resource.custom) await checkResource(resource, level);
    return undefined;
  });
}
