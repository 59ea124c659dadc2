import { expect, test } from "vitest";
import { Failure } from "@routeql/host/failure";
import { ApiError } from "@routeql/host/kubernetes/client";
import { connectionFailure, withoutRights } from "./connection/connection-error.ts";
import { exitCodeOf } from "./connection/execute.ts";
import { refuseOtherCluster } from "./place.ts";

const place = { server: "https://a.example.net:6443", namespace: "routes", instance: "routeql-prod" };

test("rejects a stack on a cluster other than the one where it runs", () => {
  expect(() => refuseOtherCluster("prod", place, { server: "https://b.example.net" })).toThrow(
    "The stack prod runs on the cluster https://a.example.net:6443, but kubectl's current context is https://b.example.net",
  );
  expect(() => refuseOtherCluster("prod", place, place)).not.toThrow();
  expect(() => refuseOtherCluster("prod", undefined, place)).not.toThrow();
});

test.each([
  [{ status: "Success" }, 0],
  [{ status: "Failure", reason: "NonZeroExitCode", details: { causes: [{ reason: "ExitCode", message: "3" }] } }, 3],
  [{ status: "Failure", message: "no such program" }, 1],
])("the status %j of an execution is exit code %i", (status, code) => {
  expect(exitCodeOf(status)).toBe(code);
});

test("a failed connection reports the reason", () => {
  const failure = connectionFailure({ pod: "engine-1", namespace: "routes", what: "exec" }, new Error("refused"));
  expect(failure).toBeInstanceOf(Failure);
  expect(failure.message).toBe("The pod engine-1 cannot be reached through the API server: refused");
});

test("names a missing permission and links to the command's whole Role", () => {
  const refused = new ApiError(
    403,
    JSON.stringify({
      kind: "Status",
      message: 'pods "database-0" is forbidden: User "jane" cannot get resource "pods/exec"',
      code: 403,
    }),
  );
  expect(connectionFailure({ pod: "database-0", namespace: "routes", what: "exec" }, refused)).toMatchObject({
    message:
      'The cluster denies this user a permission: pods "database-0" is forbidden: User "jane" cannot get resource "pods/exec"',
    remedy:
      "it needs get and create of pods/exec in the namespace routes. docs/operate/kubernetes.md#permissions-of-the-commands lists the permissions of each command.",
  });
  expect(withoutRights(refused)).toBeInstanceOf(Failure);
  expect(withoutRights(new ApiError(500, "no words"))).toMatchObject({
    message: "The Kubernetes API server refuses: the API server answered 500: no words",
  });
  const other = new Error("something else");
  expect(withoutRights(other)).toBe(other);
});
