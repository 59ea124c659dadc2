import { expect, test } from "vitest";
import { clusterStack } from "./support/cluster-stack.ts";
import { node } from "./support/node.ts";
import { everything, smallProgram } from "./support/small-program.ts";

interface Item {
  readonly metadata: { readonly name: string; readonly uid: string };
}
const uidOf = async (kind: string, name: string, namespace: string): Promise<string> =>
  (await node.get<Item>(kind, name, `--namespace=${namespace}`)).metadata.uid;

test(
  "a first update makes and awaits everything, a second one changes nothing, secrets are only encrypted in the state, and the end leaves nothing",
  { timeout: 300_000 },
  async () => {
    const tiny = await clusterStack();
    try {
      const program = smallProgram(tiny.name);
      const first = await tiny.up(program);
      expect(first.changes).toEqual({ create: everything });
      expect(first.outputs).toMatchObject({ map: expect.stringMatching(/^open-[0-9a-f]{8}$/), address: expect.stringMatching(/^10\.96\./), set: "data" });
      const status = await node.get<{ status: { availableReplicas: number } }>("deployment", "service", `--namespace=${tiny.name}`);
      expect(status.status.availableReplicas).toBe(1);
      const { status: job } = await node.get<{ status: { succeeded: number } }>("job", "once", `--namespace=${tiny.name}`);
      expect(job.succeeded).toBe(1);

      const word = String(first.outputs["word"]);
      expect(word).toMatch(/^[A-Za-z0-9]{20}$/);
      const state = await tiny.stateText();
      for (const text of [word, Buffer.from(word).toString("base64"), "between-us"]) expect(state).not.toContain(text);

      const second = await tiny.up(program);
      expect(second.changes).toEqual({ same: everything });
      expect(second.outputs).toEqual(first.outputs);
    } finally {
      await tiny[Symbol.asyncDispose]();
    }
    expect(await node.kubectl(["get", "namespace", tiny.name, "--ignore-not-found"])).toBe("");
  },
);

test("what can be changed in place is, and what cannot is replaced with what depends on it", { timeout: 300_000 }, async () => {
  await using tiny = await clusterStack();
  await tiny.up(smallProgram(tiny.name));
  const before = { deployment: await uidOf("deployment", "service", tiny.name), set: await uidOf("statefulset", "data", tiny.name), job: await uidOf("job", "once", tiny.name) };

  expect((await tiny.up(smallProgram(tiny.name, { replicas: 2 }))).changes).toEqual({ update: 1, same: everything - 1 });
  expect(await uidOf("deployment", "service", tiny.name)).toBe(before.deployment);

  // Another ConfigMap comes under another name, the Deployment moves to it, and then the old one goes.
  const changed = await tiny.up(smallProgram(tiny.name, { replicas: 2, text: "b" }));
  expect(changed.changes).toEqual({ replace: 1, update: 1, same: everything - 2 });
  expect(await node.get<{ items: Item[] }>("configmaps", `--namespace=${tiny.name}`)).toMatchObject({
    items: expect.not.arrayContaining([expect.objectContaining({ data: { text: "a" } })]),
  });

  const replaced = await tiny.up(smallProgram(tiny.name, { replicas: 2, text: "b", storage: "2Gi", jobArguments: ["-plugins"] }));
  expect(replaced.changes).toEqual({ replace: 2, same: everything - 2 });
  expect(await uidOf("statefulset", "data", tiny.name)).not.toBe(before.set);
  expect(await uidOf("job", "once", tiny.name)).not.toBe(before.job);
});
