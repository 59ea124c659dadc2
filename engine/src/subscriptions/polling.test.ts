import { expect, test } from "vitest";
import { slice } from "../cost/slots.ts";
import { CohortBatches } from "./polling.ts";

const members = ["a1", "b1", "a2", "c1", "a3"];
const start = (size: number) => new CohortBatches<string>("key", size, (member) => member.charAt(0));
const shown = (batches: CohortBatches<string>) =>
  batches.of(members).map(({ client, queue, items }) => [client, queue, items.join(" ")]);

test("members of all clients share statements of the given size", () => {
  expect(shown(start(3))).toEqual([
    [undefined, "cohort key", "a1 b1 a2"],
    [undefined, "cohort key", "c1 a3"],
  ]);
});

test("a batch of one client waits in the queue of that client", () => {
  expect(new CohortBatches<string>("key", 3, () => "one").of(["x"])).toEqual([
    { client: "one", queue: "one", items: ["x"] },
  ]);
});

test("a slow statement of several clients divides the cohort until all statements are quick", () => {
  const batches = start(100);
  batches.of(members);
  batches.took(slice + 1, undefined);
  const divided = [
    ["a", "a", "a1 a2 a3"],
    ["b", "b", "b1"],
    ["c", "c", "c1"],
  ];
  expect(shown(batches)).toEqual(divided);
  batches.took(slice + 1, "a");
  expect(shown(batches)).toEqual(divided);
  batches.took(1, "a");
  expect(shown(batches)).toHaveLength(1);
});
