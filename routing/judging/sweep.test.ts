import type { Client } from "pg";
import { expect, test } from "vitest";
import { ConfiguredPrefixes } from "./configured-prefixes.ts";
import type { Autoignore } from "./configuration/parsed-configuration.ts";
import { sweep } from "./sweep.ts";

const hour = 3_600_000_000;

const rule = (name: string, prefix: string, seconds: number): Autoignore => {
  const length = Number(prefix.split("/")[1]);
  return { name, peers: 2, ases: 2, seconds, prefixes: [{ prefix, low: length, high: length }] };
};

/** Keys that a sweep ignores. The hijacks have the time 0, one peer and one infected AS. @param now as of `sweep` */
async function ignored(
  prefixes: readonly string[],
  rules: readonly Autoignore[],
  ...now: [number, number?]
): Promise<unknown> {
  let keys: unknown = [];
  const query = async (text: string, values: readonly unknown[] = []): Promise<unknown> => {
    if (text.includes("set ignored")) [keys] = values;
    return { rows: prefixes.map((prefix) => ({ key: prefix, prefix, peers: 1, ases: 1, updated: "0" })) };
  };
  const active = { version: "1", prefixes: new ConfiguredPrefixes([]), autoignore: rules, minPeers: new Map() };
  await sweep({ query } as unknown as Client, active, ...now);
  return keys;
}

test("autoignore with interval 0 protects its prefix from the rule of a wider one", async () => {
  const rules = [rule("wide", "10.0.0.0/8", 3600), rule("never", "10.1.0.0/16", 0)];
  expect(await ignored(["10.1.0.0/16", "10.1.2.0/24", "10.2.0.0/16"], rules, 2 * hour)).toEqual(["10.2.0.0/16"]);
  expect(await ignored(["10.2.0.0/16"], rules, hour)).toEqual([]);
});

test("autoignore measures silence by the machine's clock, also in a replay of an older record", async () => {
  const rules = [rule("wide", "10.0.0.0/8", 3600)];
  expect(await ignored(["10.1.0.0/16"], rules, -2 * hour, 2 * hour)).toEqual(["10.1.0.0/16"]);
  expect(await ignored(["10.1.0.0/16"], rules, 2 * hour, 0)).toEqual([]);
});
