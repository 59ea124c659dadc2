import { expect, test } from "vitest";
import { secret } from "../../shared/values.ts";
import { hideSecretData, keepSecret } from "../provider.ts";
import { completed, desiredObject, idOf, parseId, parseToken } from "./desired.ts";

const type = { apiVersion: "v1", kind: "ConfigMap" };

test("an object without a name gets its resource's name with eight digits, and keeps it", () => {
  const first = completed({ data: {} }, undefined, type, "My_Map") as { metadata: { name: string } };
  expect(first).toMatchObject({
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name: expect.stringMatching(/^my-map-[0-9a-f]{8}$/) },
  });
  expect(completed({ data: { a: "b" } }, first, type, "My_Map")).toMatchObject({
    metadata: { name: first.metadata.name },
  });
  expect(completed({ metadata: { name: "given" } }, first, type, "My_Map")).toMatchObject({
    metadata: { name: "given" },
  });
  // A given name is not mistaken for a generated one.
  expect(completed({}, { metadata: { name: "given" } }, type, "x")).toMatchObject({
    metadata: { name: expect.stringMatching(/^x-/) },
  });
});

test("applies a Secret's `stringData` as `data`", () => {
  const inputs = {
    apiVersion: "v1",
    kind: "Secret",
    metadata: { name: "s", namespace: "old" },
    data: { a: "YQ==" },
    stringData: { b: "ü" },
  };
  expect(desiredObject(inputs, "new")).toEqual({
    apiVersion: "v1",
    kind: "Secret",
    metadata: { name: "s", namespace: "new" },
    data: { a: "YQ==", b: "w7w=" },
  });
});

test("keeps secrets secret at every depth, including all data of a Secret", () => {
  const inputs = { spec: { env: [{ name: "A" }, { name: "B", value: secret("b") }] }, plain: 1 };
  const live = { spec: { env: [{ name: "A" }, { name: "B", value: "b" }], more: true }, plain: 1 };
  expect(keepSecret(inputs, live)).toEqual({
    spec: { env: [{ name: "A" }, { name: "B", value: secret("b") }], more: true },
    plain: 1,
  });
  expect(hideSecretData({ kind: "Secret", data: { a: "YQ==" }, stringData: secret({ a: "a" }) })).toEqual({
    kind: "Secret",
    data: secret({ a: "YQ==" }),
    stringData: secret({ a: "a" }),
  });
  expect(hideSecretData({ kind: "ConfigMap", data: { a: "b" } })).toEqual({ kind: "ConfigMap", data: { a: "b" } });
});

test.each([
  [{ name: "a", namespace: "b" }, "b/a"],
  [{ name: "a" }, "a"],
])("ids are those of the official provider: %j is %s", (metadata, id) => {
  expect(idOf({ apiVersion: "v1", kind: "Thing", metadata })).toBe(id);
  expect(parseId(id)).toEqual({ namespace: undefined, ...metadata });
});

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
