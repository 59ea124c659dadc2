import { readFile } from "node:fs/promises";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { stackPaths } from "@routeql/host/paths";
import { node } from "./support/node.ts";
import { namespace, stackName, up } from "./support/stack.ts";

interface Pods {
  readonly items: readonly { readonly metadata: { readonly uid: string } }[];
}
const podIds = async (): Promise<string[]> =>
  (await node.get<Pods>("pods", `--namespace=${namespace}`)).items.map(({ metadata }) => metadata.uid).toSorted();

test("a second update changes nothing and touches no pod", { timeout: 300_000 }, async () => {
  const before = await podIds();
  const { changes } = await up(node);
  expect(Object.keys(changes)).toEqual(["same"]);
  expect(await podIds()).toEqual(before);
});

test("the API server has no warnings about the program's objects", async () => {
  const { logs } = stackPaths(stackName);
  const updates = readdirSync(logs).filter((name) => name.endsWith("-up.log"));
  expect(updates.length).toBeGreaterThan(0);
  const texts = await Promise.all(updates.map((name) => readFile(join(logs, name), "utf8")));
  for (const text of texts) expect(text).not.toContain("Warning of the Kubernetes API server");
});
