import { Namespace } from "@pulumi/kubernetes/core/v1/index.js";
import type { Resource } from "@pulumi/pulumi";
import { labelsOf } from "./scope.ts";
import type { Scope } from "./scope.ts";

/** The strictest Pod Security Standard: violations are rejected, warned about and audited. */
const podSecurityLabels: Readonly<Record<string, string>> = Object.fromEntries(
  ["enforce", "warn", "audit"].flatMap((mode) => [
    [`pod-security.kubernetes.io/${mode}`, "restricted"],
    [`pod-security.kubernetes.io/${mode}-version`, "latest"],
  ]),
);

/** The stack's namespace. Deleting it deletes all its volumes. */
export function makeNamespace(scope: Pick<Scope, "namespace" | "instance" | "state" | "named">, protect: boolean, parent: Resource): Namespace {
  return new Namespace(
    scope.named("namespace"),
    { metadata: { name: scope.namespace, labels: { ...labelsOf(undefined, scope), ...podSecurityLabels } } },
    { parent, protect },
  );
}
