/**
 * The same rules as a policy pack, for any program: `pulumi preview --policy-pack infra/policy/pack`. A pack gets secrets as plain
 * values, so that it knows them by their names alone.
 * @module
 */
import { PolicyPack } from "@pulumi/policy";
import type { ResourceValidationPolicy } from "@pulumi/policy";
import { rules } from "../rules.ts";

const policies = rules.map(
  ({ name, description, violations }): ResourceValidationPolicy => ({
    name,
    description,
    enforcementLevel: "mandatory",
    validateResource: ({ type, name: resource, props: inputs }, report) => {
      for (const problem of violations({ type, name: resource, inputs })) report(`${resource} ${problem}`);
    },
  }),
);

export const pack: PolicyPack = new PolicyPack("routeql", { policies });
