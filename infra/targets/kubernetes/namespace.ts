import { Namespace } from "@pulumi/kubernetes/core/v1/index.js";
import type { Resource } from "@pulumi/pulumi";
import { labelsOf } from "./scope.ts";
import type { Scope } from "./scope.ts";

/** The strictest of the Pod Security Standards: what violates it is refused, and would be warned of and recorded. */
const podSecurityLabels: Readonly<Record<string, string>> = Object.fromEntries(
  ["enforce", "warn", "audit"].flatMap((mode) => [
    [`pod-security.kubernetes.io/${mode}`, "restricted"],
    [`pod-security.kubernetes.io/${mode}-version`, "latest"],
  ]),
);

/** The stack's namespace. Its end is the end of all volumes in it. */
export function makeNamespace(scope: Pick<Scope, "namespace" | "instance" | "named">, protect: boolean, parent: Resource): Namespace {
  return new Namespace(
    scope.named("namespace"),
    { metadata: { name: scope.namespace, labels: { ...labelsOf(undefined, scope), ...podSecurityLabels } } },
    { parent, protect },
  );
}
