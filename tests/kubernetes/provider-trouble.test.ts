import { CustomResource } from "@pulumi/kubernetes/apiextensions/index.js";
import { ConfigMapPatch } from "@pulumi/kubernetes/core/v1/index.js";
import { expect, test } from "vitest";
import { clusterStack } from "./support/cluster-stack.ts";
import { node } from "./support/node.ts";
import { everything, smallProgram } from "./support/small-program.ts";

test("what others changed or removed is found by a refresh and put back; what they added is left alone", { timeout: 300_000 }, async () => {
  await using tiny = await clusterStack();
  const program = smallProgram(tiny.name);
  await tiny.up(program);
  const inNamespace = `--namespace=${tiny.name}`;
  await node.kubectl(["scale", "deployment/service", "--replicas=3", inNamespace]);
  await node.kubectl(["annotate", "deployment/service", "somebody=else", inNamespace]);
  await node.kubectl(["delete", "service/front", inNamespace]);
  await node.kubectl(["patch", "secret/held", "--patch", '{"data":{"word":"Y2hhbmdlZA=="}}', inNamespace]);

  const repaired = await tiny.up(program);
  // A Secret's data are replaced, as with the official provider.
  expect(repaired.changes).toEqual({ create: 1, update: 1, replace: 1, same: everything - 3 });
  const { spec, metadata } = await node.get<{ spec: { replicas: number }; metadata: { annotations: object } }>("deployment", "service", inNamespace);
  expect(spec.replicas).toBe(1);
  expect(metadata.annotations).toMatchObject({ somebody: "else" });
  expect((await tiny.up(program)).changes).toEqual({ same: everything });
});

test("a job that fails ends the update with its log, and the next update with a better one repairs it", { timeout: 300_000 }, async () => {
  await using tiny = await clusterStack();
  await expect(tiny.up(smallProgram(tiny.name, { jobArguments: ["-conf", "/nowhere"] }))).rejects.toMatchObject({
    lastLines: expect.arrayContaining([expect.stringContaining("the job has failed"), expect.stringContaining("/nowhere")]),
  });
  const { changes } = await tiny.up(smallProgram(tiny.name));
  expect(changes["replace"]).toBe(1);
});

test("a rollout that cannot succeed ends with what its pods say, and the old pods go on", { timeout: 300_000 }, async () => {
  await using tiny = await clusterStack();
  await tiny.up(smallProgram(tiny.name));
  await expect(tiny.up(smallProgram(tiny.name, { image: "routeql.test/nothing:1" }))).rejects.toMatchObject({
    lastLines: expect.arrayContaining([expect.stringContaining("Deployment"), expect.stringContaining("ErrImageNeverPull")]),
  });
  const { status } = await node.get<{ status: { availableReplicas: number } }>("deployment", "service", `--namespace=${tiny.name}`);
  expect(status.availableReplicas).toBe(1);
  expect((await tiny.up(smallProgram(tiny.name))).changes).toEqual({ update: 1, same: everything - 1 });
});

test("a kind that the cluster does not serve, and a type that is no object, are refused by name", { timeout: 300_000 }, async () => {
  await using tiny = await clusterStack();
  await expect(
    tiny.up(async () => {
      void new CustomResource("one", { apiVersion: "example.net/v1", kind: "Thing", metadata: { name: "one", namespace: "default" } });
    }),
  ).rejects.toMatchObject({ lastLines: expect.arrayContaining([expect.stringMatching(/does not serve the kind Thing of example\.net\/v1/)]) });
  await expect(
    tiny.up(async () => {
      void new ConfigMapPatch("patch", { metadata: { name: "kube-root-ca.crt" } });
    }),
  ).rejects.toMatchObject({ lastLines: expect.arrayContaining([expect.stringContaining("patches of objects that others made")]) });
});

test("an object that another made is not taken over", { timeout: 300_000 }, async () => {
  await using tiny = await clusterStack();
  await node.kubectl(["create", "namespace", tiny.name]);
  await expect(tiny.up(smallProgram(tiny.name))).rejects.toMatchObject({
    lastLines: expect.arrayContaining([expect.stringMatching(/exists already and was not made by this stack/)]),
  });
  await node.kubectl(["delete", "namespace", tiny.name]);
});
