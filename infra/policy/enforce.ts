import { Output, RunError, isSecret, runtime } from "@pulumi/pulumi";
import type { ResourceTransformArgs } from "@pulumi/pulumi";
import { hidden } from "./rule.ts";
import { violationsOf } from "./rules.ts";

/** A value as rules see it: secrets hidden, what is not known yet absent. */
async function visible(value: unknown): Promise<unknown> {
  if (Output.isInstance(value)) {
    if (await isSecret(value)) return hidden;
    const held: Output<unknown> = value;
    if (!(await (held as unknown as { readonly isKnown: Promise<boolean> }).isKnown)) return undefined;
    return visible(await new Promise<unknown>((resolve) => void held.apply(resolve)));
  }
  if (value instanceof Promise) return visible(await (value as Promise<unknown>));
  if (Array.isArray(value)) return Promise.all(value.map(visible));
  if (typeof value === "object" && value !== null) {
    const entries = await Promise.all(Object.entries(value).map(async ([key, item]) => [key, await visible(item)] as const));
    return Object.fromEntries(entries);
  }
  return value;
}

/** @throws {RunError} with everything that the policies find wrong with a resource, before it is made */
export async function checkResource({ type, name, props }: Pick<ResourceTransformArgs, "type" | "name" | "props">): Promise<void> {
  const inputs = (await visible(props)) as Record<string, unknown>;
  const problems = violationsOf({ type, name, inputs });
  if (problems.length > 0) throw new RunError(["This breaks a policy:", ...problems.map((problem) => `  ${problem}`)].join("\n"));
}

/** Holds every resource that the program makes from now on to the policies, in previews and updates alike. */
export function enforcePolicies(): void {
  runtime.registerResourceTransform(async (resource) => {
    if (resource.custom) await checkResource(resource);
    return undefined;
  });
}
