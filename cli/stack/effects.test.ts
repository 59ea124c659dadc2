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
      step("replace", "Container", "gateway"),
      step("replace", "Container", "sessions"),
      step("replace", "Container", "migrate"),
      step("same", "Container", "front"),
      step("replace", "Volume", "gateway-files"),
    ]),
  ).toEqual([
    "Services: engine is replaced beside the old one, database changes in place, gateway is replaced last (1 to 2 s), sessions restarts (some seconds)",
    "Jobs:     migrate run",
    "Data:     no data at risk",
  ]);
  expect(describeEffects([step("delete", "Volume", "database-data")]).at(-1)).toBe("Data:     AT RISK: database-data");
  expect(describeEffects([step("replace", "Container", "gateway-files")])[0]).toBe("Services: gateway reloads");
  expect(describeEffects([])).toEqual(["Services: unchanged", "Jobs:     none", "Data:     no data at risk"]);
});

test("names rollouts and restarts on Kubernetes", () => {
  expect(describeEffects([step("update", "Deployment", "gateway"), step("update", "StatefulSet", "sessions")])[0]).toBe(
    "Services: gateway is updated pod by pod, sessions restarts (requests that need it return 503 meanwhile)",
  );
});

test("names services that are new or removed", () => {
  expect(
    describeEffects([
      step("create", "StatefulSet", "database"),
      step("create", "Deployment", "gateway"),
      step("delete", "Deployment", "front"),
    ])[0],
  ).toBe("Services: database starts, gateway starts, front ends");
});
