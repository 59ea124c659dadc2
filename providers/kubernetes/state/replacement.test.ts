import { expect, test } from "vitest";
import { replacingPaths } from "./replacement.ts";

test.each([
  ["apps/v1", "Deployment", "spec.template.spec.containers.0.image", false],
  ["apps/v1", "Deployment", "spec.selector.matchLabels.app", true],
  ["apps/v1", "StatefulSet", "spec.volumeClaimTemplates.0.spec.resources.requests.storage", true],
  ["apps/v1", "StatefulSet", "spec.template.spec.containers.0.image", false],
  ["batch/v1", "Job", "spec.template.spec.containers.0.args", true],
  ["batch/v1", "Job", "spec.backoffLimit", false],
  ["v1", "ConfigMap", "data.file", true],
  ["v1", "Secret", "stringData.word", true],
  ["v1", "Secret", "metadata.labels.a", false],
  ["v1", "Service", "spec.clusterIP", true],
  ["v1", "Service", "spec.ports.0.port", false],
  ["networking.k8s.io/v1", "NetworkPolicy", "spec.ingress", false],
  ["example.net/v1", "Deployment", "spec.selector", false],
  ["example.net/v1", "Thing", "metadata.name", true],
  ["example.net/v1", "Thing", "metadata.namespace", true],
  // An unknown value around such a field.
  ["apps/v1", "Deployment", "spec", true],
])("%s %s: a change of %s replaces it: %s", (apiVersion, kind, path, replaces) => {
  expect(replacingPaths({ apiVersion, kind }, [path.split(".")]).length > 0).toBe(replaces);
});
