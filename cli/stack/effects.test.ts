import { expect, test } from "vitest";
import { describeEffects } from "./effects.ts";

const step = (op: string, type: string, name: string) => ({
  op,
  urn: `urn:pulumi:prod::routeql::x$docker:index/y:${type}::routeql-${name}`,
});

test("names services, jobs and data at risk in three lines", () => {
  expect(
    describeEffects([
      step("replace", "Container", "gateway-files"),
      step("create-replacement", "Container", "engine"),
      step("replace", "Container", "engine"),
      step("replace", "Container", "engine-files"),
      step("update", "Container", "database"),
      step("replace", "Container", "migrate"),
      step("same", "Container", "sessions"),
      step("replace", "Volume", "gateway-files"),
    ]),
  ).toEqual([
    "Services: gateway reloads, engine is replaced beside the old one, database restarts (some seconds)",
    "Jobs:     migrate run",
    "Data:     no data at risk",
  ]);
  expect(describeEffects([step("delete", "Volume", "database-data")]).at(-1)).toBe("Data:     AT RISK: database-data");
  expect(describeEffects([])).toEqual(["Services: unchanged", "Jobs:     none", "Data:     no data at risk"]);
});
