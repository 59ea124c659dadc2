import { expect, test } from "vitest";
import { parseToken } from "./token.ts";

test.each([
  ["kubernetes:core/v1:Service", "v1", "Service"],
  ["kubernetes:apps/v1:Deployment", "apps/v1", "Deployment"],
  ["kubernetes:networking.k8s.io/v1:NetworkPolicy", "networking.k8s.io/v1", "NetworkPolicy"],
  ["kubernetes:postgresql.cnpg.io/v1:Cluster", "postgresql.cnpg.io/v1", "Cluster"],
  ["kubernetes:autoscaling/v2beta2:HorizontalPodAutoscaler", "autoscaling/v2beta2", "HorizontalPodAutoscaler"],
])("%s is %s %s", (token, apiVersion, kind) => {
  expect(parseToken(token)).toEqual({ apiVersion, kind });
});

test.each([
  "kubernetes:helm.sh/v3:Release",
  "kubernetes:yaml/v2:ConfigFile",
  "kubernetes:kustomize/v2:Directory",
  "kubernetes:core/v1:ConfigMapPatch",
  "kubernetes:core/v1:ConfigMapList",
  "kubernetes:core:ConfigMap",
  "docker:index/network:Network",
])("rejects %s and suggests the official provider", (token) => {
  expect(() => parseToken(token)).toThrow(token);
  expect(() => parseToken(token)).toThrow("use the official provider");
});
