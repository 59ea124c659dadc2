import { CustomResource } from "@pulumi/kubernetes/apiextensions/index.js";
import { ConfigMapPatch } from "@pulumi/kubernetes/core/v1/index.js";
import { expect, test } from "vitest";
import { clusterStack } from "./support/cluster-stack.ts";
import { node } from "./support/node.ts";
import { everything, smallProgram } from "./support/small-program.ts";

const failure = (...lines: readonly RegExp[]): object => ({ lastLines: expect.arrayContaining(lines.map((line) => expect.stringMatching(line))) });

test("a failed job and a rollout that cannot succeed end the update with what the pods say; the next update repairs it", { timeout: 600_000 }, async () => {
  await using tiny = await clusterStack();
  const badJob = smallProgram(tiny.name, { jobArguments: ["-conf", "/nowhere"] });
  await expect(tiny.up(badJob)).rejects.toMatchObject(failure(/the job has failed/, /ended with exit code 1/, /\/nowhere/));
  const { changes } = await tiny.up(smallProgram(tiny.name));
  expect(changes["replace"]).toBe(1);

  const badImage = smallProgram(tiny.name, { image: "routeql.test/nothing:1", seconds: 10 });
  await expect(tiny.up(badImage)).rejects.toMatchObject(failure(/Deployment/, /ErrImageNeverPull/));
  // The old pod goes on.
  const { status } = await node.get<{ status: { availableReplicas: number } }>("deployment", "service", `--namespace=${tiny.name}`);
  expect(status.availableReplicas).toBe(1);
  expect((await tiny.up(smallProgram(tiny.name))).changes).toEqual({ update: 1, same: everything - 1 });
});

test("what is not served and what is not ours is refused by name", { timeout: 600_000 }, async () => {
  await using tiny = await clusterStack();
  const thing = async (): Promise<void> => {
    void new CustomResource("one", { apiVersion: "example.net/v1", kind: "Thing", metadata: { name: "one", namespace: "default" } });
  };
  await expect(tiny.up(thing)).rejects.toMatchObject(failure(/does not serve the kind Thing of example\.net\/v1/));
  const patch = async (): Promise<void> => {
    void new ConfigMapPatch("patch", { metadata: { name: "kube-root-ca.crt" } });
  };
  await expect(tiny.up(patch)).rejects.toMatchObject(failure(/patches of objects that others made/));
  await node.kubectl(["create", "namespace", tiny.name]);
  try {
    await expect(tiny.up(smallProgram(tiny.name))).rejects.toMatchObject(failure(/exists already and was not made by this stack/));
  } finally {
    await node.kubectl(["delete", "namespace", tiny.name, "--wait=false"]);
  }
});
