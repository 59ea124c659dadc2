import { expect, test } from "vitest";
import { demoMember, type DemoOptions } from "./demo.ts";
import { Refusal } from "../formats/refusal.ts";
import type { Update } from "../formats/update.ts";

async function made(options: DemoOptions): Promise<Update[]> {
  const updates: Update[] = [];
  for await (const batch of demoMember(options).records) {
    for (const { parsed } of batch) {
      if (parsed instanceof Refusal || "skipped" in parsed) throw new Error("a generated line is not an update");
      updates.push(parsed);
    }
  }
  return updates;
}

const options = { count: 3000, seed: 1, start: Date.UTC(2026) };

test("gives the same updates for the same seed and others for another seed", async () => {
  expect(await made(options)).toEqual(await made(options));
  expect(await made({ ...options, seed: 2 })).not.toEqual(await made(options));
});

test("gives the requested number in the order of time", async () => {
  const updates = await made(options);
  expect(updates).toHaveLength(3000);
  const times = updates.map(({ timestamp }) => timestamp);
  expect(times).toEqual(times.toSorted());
});

test("contains only documentation prefixes and AS numbers", async () => {
  for (const { prefix, path, peerAsn } of await made(options)) {
    expect(prefix).toMatch(/^(192\.0\.2\.|198\.51\.100\.|203\.0\.113\.|2001:db8:)/);
    for (const asn of [...path.flat(), peerAsn ?? 0]) {
      expect((asn >= 64_496 && asn <= 64_511) || (asn >= 65_536 && asn <= 65_551)).toBe(true);
    }
  }
});
