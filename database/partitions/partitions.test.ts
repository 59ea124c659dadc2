import { expect, test } from "vitest";
import { partitionOf } from "./partitions.ts";

test.each([
  ["2026-01", "bgp_updates_202601", "2026-02-01"],
  ["2024-02", "bgp_updates_202402", "2024-03-01"],
  ["2025-12", "bgp_updates_202512", "2026-01-01"],
])("the partition of %s is %s, and ends before %s", (month, name, after) => {
  expect(partitionOf(month)).toEqual({ name, unit: "month", first: `${month}-01`, after });
});
