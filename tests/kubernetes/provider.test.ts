import { CustomResource } from "@pulumi/kubernetes/apiextensions/index.js";
import { ConfigMapPatch } from "@pulumi/kubernetes/core/v1/index.js";
import { expect, test } from "vitest";
import { explaining } from "../local/support/tiny-stack.ts";
import { clusterStack } from "./support/cluster-stack.ts";
import { node } from "./support/node.ts";
import { everything, smallProgram } from "./support/small-program.ts";

// Each test has its own stack and namespace, and mostly waits for the engine and the cluster.

interface Item {
  readonly metadata: { readonly uid: string; readonly annotations?: object };
  readonly spec: { readonly replicas?: number };
  readonly status: Readonly<Record<string, unknown>>;
}

test.concurrent(
  "objects are created, kept, changed, replaced, repaired and deleted",
  { timeout: 600_000 },
  async () => {
    const tiny = await clusterStack();
    const get = (kind: string, name: string): Promise<Item> => node.get<Item>(kind, name, `--namespace=${tiny.name}`);
    const uids = async (): Promise<string[]> =>
      (await Promise.all([get("deployment", "service"), get("statefulset", "data"), get("job", "once")])).map(
        ({ metadata }) => metadata.uid,
      );
    try {
      const first = await tiny.up(smallProgram(tiny.name));
      expect(first.changes).toEqual({ create: everything });
      expect(first.outputs).toMatchObject({
        map: expect.stringMatching(/^open-[0-9a-f]{8}$/),
        address: expect.stringMatching(/^10\.96\./),
        set: "data",
      });
      expect(await get("deployment", "service")).toMatchObject({ status: { availableReplicas: 1 } });
      expect(await get("job", "once")).toMatchObject({ status: { succeeded: 1 } });

      // Secrets are encrypted in the state in every place: generated, encoded, and where one was put by mistake.
      const word = String(first.outputs["word"]);
      expect(word).toMatch(/^[A-Za-z0-9]{20}$/);
      const state = await tiny.stateText();
      for (const text of [word, Buffer.from(word).toString("base64"), "between-us"]) expect(state).not.toContain(text);

      const second = await tiny.up(smallProgram(tiny.name));
      expect(second.changes).toEqual({ same: everything });
      expect(second.outputs).toEqual(first.outputs);

      // A changed ConfigMap gets another name. The Deployment switches to it in place, and then the old one is deleted.
      const [deployment, set, job] = await uids();
      const changed = await tiny.up(smallProgram(tiny.name, { replicas: 2, text: "b" }));
      expect(changed.changes).toEqual({ replace: 1, update: 1, same: everything - 2 });
      expect(await uids()).toEqual([deployment, set, job]);
      const maps = await node.get<{ items: { data: object }[] }>("configmaps", `--namespace=${tiny.name}`);
      expect(maps.items.map(({ data }) => data)).toEqual(expect.arrayContaining([{ text: "b" }]));
      expect(maps.items.map(({ data }) => data)).not.toContainEqual({ text: "a" });

      // A claim template and a job's pod are immutable.
      const variation = { replicas: 2, text: "b", storage: "2Gi", jobArguments: ["-plugins"] };
      expect((await tiny.up(smallProgram(tiny.name, variation))).changes).toEqual({ replace: 2, same: everything - 2 });
      const after = await uids();
      expect([after[0] === deployment, after[1] === set, after[2] === job]).toEqual([true, false, false]);

      // Repairs changes and deletions by others, and keeps their additions.
      const inNamespace = `--namespace=${tiny.name}`;
      await node.kubectl(["scale", "deployment/service", "--replicas=3", inNamespace]);
      await node.kubectl(["annotate", "deployment/service", "somebody=else", inNamespace]);
      await node.kubectl(["delete", "service/front", inNamespace]);
      await node.kubectl(["patch", "secret/held", "--patch", '{"data":{"word":"Y2hhbmdlZA=="}}', inNamespace]);
      const repaired = await tiny.up(smallProgram(tiny.name, variation));
      // A Secret's data is replaced, as with the official provider.
      expect(repaired.changes).toEqual({ create: 1, update: 1, replace: 1, same: everything - 3 });
      const back = await get("deployment", "service");
      expect(back.spec.replicas).toBe(2);
      expect(back.metadata.annotations).toMatchObject({ somebody: "else" });
    } finally {
      await tiny[Symbol.asyncDispose]();
    }
    expect(await node.kubectl(["get", "namespace", tiny.name, "--ignore-not-found"])).toBe("");
  },
);

test.concurrent(
  "a failed job and a stuck rollout end the update, and the next update repairs them",
  { timeout: 600_000 },
  async () => {
    await using tiny = await clusterStack();
    const badJob = smallProgram(tiny.name, { jobArguments: ["-conf", "/nowhere"] });
    await expect(tiny.up(badJob)).rejects.toSatisfy(
      explaining(/the job has failed/, /ended with exit code 1/, /\/nowhere/),
    );
    const { changes } = await tiny.up(smallProgram(tiny.name));
    expect(changes["replace"]).toBe(1);

    const badImage = smallProgram(tiny.name, { image: "routeql.test/nothing:1", seconds: 10 });
    await expect(tiny.up(badImage)).rejects.toSatisfy(explaining(/Deployment/, /ErrImageNeverPull/));
    // The old pod keeps running.
    const { status } = await node.get<{ status: { availableReplicas: number } }>(
      "deployment",
      "service",
      `--namespace=${tiny.name}`,
    );
    expect(status.availableReplicas).toBe(1);
    expect((await tiny.up(smallProgram(tiny.name))).changes).toEqual({ update: 1, same: everything - 1 });
  },
);

test.concurrent("rejects unsupported and foreign objects by name", { timeout: 600_000 }, async () => {
  await using tiny = await clusterStack();
  const thing = async (): Promise<void> => {
    void new CustomResource("one", {
      apiVersion: "example.net/v1",
      kind: "Thing",
      metadata: { name: "one", namespace: "default" },
    });
  };
  await expect(tiny.up(thing)).rejects.toSatisfy(explaining(/does not serve the kind Thing of example\.net\/v1/));
  const patch = async (): Promise<void> => {
    void new ConfigMapPatch("patch", { metadata: { name: "kube-root-ca.crt" } });
  };
  await expect(tiny.up(patch)).rejects.toSatisfy(explaining(/cannot patch objects of other owners/));
  await node.kubectl(["create", "namespace", tiny.name]);
  try {
    await expect(tiny.up(smallProgram(tiny.name))).rejects.toSatisfy(
      explaining(/already exists and was not created by this stack/),
    );
  } finally {
    await node.kubectl(["delete", "namespace", tiny.name, "--wait=false"]);
  }
});
