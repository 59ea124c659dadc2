import { expect, test } from "vitest";
import { imagesOf } from "./render-stack.ts";
import { manifestOf } from "./manifest.ts";
import { secretSignature } from "./record.ts";

const secret = (value: unknown): unknown => ({ [secretSignature]: "1b47061264138c4ac30d75fd1eb44270", value });
const inputs = { apiVersion: "v1", kind: "Secret", metadata: { name: "a" } };

test("renders only Kubernetes objects", () => {
  expect(manifestOf({ type: "random:index/randomPassword:RandomPassword", name: "a", inputs: {} })).toBeUndefined();
});

test("replaces a Secret's values by placeholders", () => {
  for (const stringData of [secret({ "secrets..key": "hidden" }), { "secrets..key": secret("hidden") }]) {
    expect(manifestOf({ type: "kubernetes:core/v1:Secret", name: "a", inputs: { ...inputs, stringData } })).toEqual({
      ...inputs,
      stringData: { "secrets..key": "<put the value of key here>" },
    });
  }
});

test("rejects a secret anywhere else and names its place, not its value", () => {
  const bad = { ...inputs, kind: "ConfigMap", data: { a: [secret("hidden")] } };
  const render = () => manifestOf({ type: "kubernetes:core/v1:ConfigMap", name: "files", inputs: bad });
  expect(render).toThrow("files.data.a[0] is secret and cannot be rendered.");
  expect(render).not.toThrow("hidden");
});

test("drops Pulumi's annotations and keeps others", () => {
  const annotations = { "pulumi.com/skipAwait": "true" };
  const rendered = (more: object) =>
    manifestOf({
      type: "kubernetes:core/v1:Service",
      name: "a",
      inputs: { ...inputs, kind: "Service", metadata: { name: "a", annotations: { ...annotations, ...more } } },
    });
  expect(rendered({})?.metadata).toEqual({ name: "a" });
  expect(rendered({ "example.net/a": "b" })?.metadata).toEqual({ name: "a", annotations: { "example.net/a": "b" } });
});

test("finds images at any depth of workloads, but not in files", () => {
  const pod = { containers: [{ image: "b" }, { image: "a" }] };
  expect(
    imagesOf([
      { ...inputs, kind: "Deployment", spec: { template: { spec: pod } } },
      { ...inputs, kind: "Cluster", spec: { imageName: "c" } },
      { ...inputs, kind: "Job", spec: { template: { spec: pod } } },
      { ...inputs, kind: "ConfigMap", spec: { image: "no" } },
    ]),
  ).toEqual(["a", "b", "c"]);
});
