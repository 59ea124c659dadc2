import { isSecret, log, Output, RunError, runtime } from "@pulumi/pulumi";
import type { ResourceTransformArgs } from "@pulumi/pulumi";
import { serialized } from "../inputs.ts";
import { hidden } from "./rule.ts";
import type { AdvisoryLevel, Rule } from "./rule.ts";
import { rules, violationsOf } from "./rules.ts";

/** An input for the rules: secrets are hidden, unknown values are undefined. */
async function visible(value: unknown): Promise<unknown> {
  if (value === runtime.unknownValue) return undefined;
  if (Array.isArray(value)) return Promise.all(value.map(visible));
  if (typeof value !== "object" || value === null) return value;
  // The engine calls a transform without the program's context, where Pulumi's serialization returns a secret output in plain text.
  if (runtime.isRpcSecret(value) || (Output.isInstance(value) && (await isSecret(value)))) return hidden;
  if (![Object.prototype, null].includes(Object.getPrototypeOf(value) as object | null))
    return visible(await serialized(value));
  const items = Object.entries(value).map(async ([key, item]) => [key, await visible(item)] as const);
  return Object.fromEntries(await Promise.all(items));
}

/** Reports violations of advisory rules, as errors with the level `refuse`. @throws {RunError} before the resource is created */
export async function checkResource(
  { type, name, props }: Pick<ResourceTransformArgs, "type" | "name" | "props">,
  level: AdvisoryLevel = "warn",
): Promise<void> {
  const inputs = (await visible(props)) as Record<string, unknown>;
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
