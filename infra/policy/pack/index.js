/**
 * The same rules as a policy pack, for any program: `pulumi preview --policy-pack infra/policy/pack`. A pack gets secrets as plain
 * values, so that it knows them by their names alone.
 *
 * JavaScript, because Pulumi runs the entry of a pack through a TypeScript of its own that does not know this project's; what it
 * imports is run by Node as it is.
 */
import { PolicyPack } from "@pulumi/policy";
import { rules } from "../rules.ts";

/** @type {import("@pulumi/policy").ResourceValidationPolicy[]} */
const policies = rules.map(({ name, description, violations, advisory }) => ({
  name,
  description,
  enforcementLevel: advisory ? "advisory" : "mandatory",
  validateResource: ({ type, name: resource, props: inputs }, report) => {
    for (const problem of violations({ type, name: resource, inputs })) report(`${resource} ${problem}`);
  },
}));

export const pack = new PolicyPack("routeql", { policies });
