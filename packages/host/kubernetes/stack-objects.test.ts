import { expect, test } from "vitest";
import { instanceLabels } from "./stack-objects.ts";

test("finds the objects of a stack by the label that the program gives them", () => {
  expect(instanceLabels({ instance: "routeql-prod" })).toEqual({ "app.kubernetes.io/instance": "routeql-prod" });
});
