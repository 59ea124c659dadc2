import { expect, test } from "vitest";
import { batch } from "./batch.ts";
import { Unavailable } from "./errors.ts";

test("loads concurrent items together and gives each its own result", async () => {
  const loads: (readonly number[])[] = [];
  const double = batch(async (items: readonly number[]) => {
    loads.push(items);
    return items.map((item) => item * 2);
  });
  expect(await Promise.all([1, 2, 3].map(double))).toEqual([2, 4, 6]);
  expect(loads).toEqual([[1, 2, 3]]);
});

test("limits the size of a load", async () => {
  const sizes: number[] = [];
  const load = batch(
    async (items: readonly number[]) => {
      sizes.push(items.length);
      return items;
    },
    { size: 2 },
  );
  await Promise.all([1, 2, 3, 4, 5].map(load));
  expect(sizes).toEqual([2, 2, 1]);
});

test("fails only the items of a failed load", async () => {
  const load = batch(
    async (items: readonly number[]) => {
      if (items.includes(2)) throw new Error("broken");
      return items;
    },
    { size: 1 },
  );
  const results = await Promise.allSettled([1, 2, 3].map(load));
  expect(results.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
});

test("starts another load beside a slow one, up to the concurrency", async () => {
  const gates: (() => void)[] = [];
  const load = batch(
    async (items: readonly string[]) => {
      await new Promise<void>((resolve) => gates.push(resolve));
      return items;
    },
    { concurrency: 2 },
  );
  const turn = () => new Promise((resolve) => setImmediate(resolve));
  const first = load("a");
  await turn();
  const second = load("b");
  await turn();
  const third = load("c");
  await turn();
  expect(gates).toHaveLength(2);
  gates[1]!();
  expect(await second).toBe("b");
  await turn();
  expect(gates).toHaveLength(3);
  gates[0]!();
  gates[2]!();
  expect(await Promise.all([first, third])).toEqual(["a", "c"]);
});

test("rejects items when too many wait", async () => {
  const load = batch(async (items: readonly number[]) => items, { waiting: 1 });
  const accepted = load(1);
  await expect(load(2)).rejects.toThrow(Unavailable);
  expect(await accepted).toBe(1);
});
