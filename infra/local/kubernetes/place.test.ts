import { expect, test } from "vitest";
import { Failure } from "../foundation/failure.ts";
import { connectionFailure } from "./connection-error.ts";
import { exitCodeOf } from "./execute.ts";
import { instanceLabels, refuseOtherCluster } from "./place.ts";

const place = { server: "https://a.example.net:6443", namespace: "routes", instance: "routeql-prod" };

test("a stack is not brought up on a cluster other than the one where it runs", () => {
  expect(() => refuseOtherCluster("prod", place, { server: "https://b.example.net" })).toThrow(
    "The stack prod runs on the cluster https://a.example.net:6443, but kubectl's current context is https://b.example.net",
  );
  expect(() => refuseOtherCluster("prod", place, place)).not.toThrow();
  expect(() => refuseOtherCluster("prod", undefined, place)).not.toThrow();
});

test("objects of a stack are found by the label that the program gives them", () => {
  expect(instanceLabels(place)).toEqual({ "app.kubernetes.io/instance": "routeql-prod" });
});

test.each([
  [{ status: "Success" }, 0],
  [{ status: "Failure", reason: "NonZeroExitCode", details: { causes: [{ reason: "ExitCode", message: "3" }] } }, 3],
  [{ status: "Failure", message: "no such program" }, 1],
])("the status %j of an execution is exit code %i", (status, code) => {
  expect(exitCodeOf(status)).toBe(code);
});

test.each([[new Error("refused")], [{ type: "error", message: "refused" }]])("a connection that fails says why: %o", (error) => {
  const failure = connectionFailure("engine-1", error);
  expect(failure).toBeInstanceOf(Failure);
  expect(failure.message).toBe("The pod engine-1 cannot be reached through the API server: refused");
});
