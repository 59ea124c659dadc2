import type { EngineEvent } from "@pulumi/pulumi/automation/index.js";
import { expect, test } from "vitest";
import { describeChanges, Progress, reasonOf } from "./progress.ts";
import { failedJobs } from "../pulumi/recovery.ts";

const urn = "urn:pulumi:local::routeql::routeql:index:RouteQL$docker:index/container:Container::engine";
const event = (part: object): EngineEvent => ({ sequence: 1, timestamp: 1, ...part });

test("progress names the current resource and counts finished ones", () => {
  const said: string[] = [];
  const progress = new Progress((text) => said.push(text));
  progress.onEvent(event({ resourcePreEvent: { metadata: { op: "create", urn } } }));
  progress.onEvent(event({ resOutputsEvent: { metadata: { op: "create", urn } } }));
  progress.onEvent(event({ resourcePreEvent: { metadata: { op: "same", urn } } }));
  expect(said).toEqual(["0 done; creating Container engine", "1 done"]);
});

test("progress names why resources wait, and only while they do", () => {
  const said: string[] = [];
  const progress = new Progress((text) => said.push(text));
  progress.onEvent(event({ resourcePreEvent: { metadata: { op: "create", urn } } }));
  progress.waitsFor(["pod a has no node", "pod b: pulling", "c", "d"]);
  progress.waitsFor([]);
  progress.onEvent(event({ resOutputsEvent: { metadata: { op: "create", urn } } }));
  expect(said.slice(1)).toEqual([
    "0 done; creating Container engine; waiting: pod a has no node; pod b: pulling; c; …",
    "1 done",
  ]);
});

test("keeps each error once, without colours, with its resource", () => {
  const progress = new Progress(() => undefined);
  const diagnostic = { severity: "error", message: "<{%reset%}>not healthy<{%reset%}>\n", urn };
  for (let time = 0; time < 2; time++) progress.onEvent(event({ diagnosticEvent: diagnostic }));
  progress.onEvent(event({ diagnosticEvent: { severity: "info", message: "fine" } }));
  progress.onEvent(event({ diagnosticEvent: { severity: "error", message: "update failed" } }));
  expect(progress.errors).toEqual(["Container engine: not healthy"]);
});

test("keeps an error of several resources once, and a repeated prefix once", () => {
  const progress = new Progress(() => undefined);
  const message = "error serializing property: error serializing property: Error serializing property: x is no text";
  for (const name of ["engine", "gateway", "sessions"])
    progress.onEvent(event({ diagnosticEvent: { severity: "error", message, urn: urn.replace("engine", name) } }));
  expect(progress.errors).toEqual(["Container engine and 2 more: error serializing property: x is no text"]);
});

test("the reason of a failed update is its first line that names a cause", () => {
  const errors = [
    "Running program '/x' failed with an unhandled exception:\n\nError: the port 8443 is taken\n    at file:///x.ts:1",
  ];
  expect(reasonOf(errors)).toBe("Error: the port 8443 is taken");
  expect(reasonOf(["A setting is wrong:\n  httpsPort is taken (argument)"])).toBe("httpsPort is taken (argument)");
  expect(reasonOf(["Container engine: not healthy"])).toBe("Container engine: not healthy");
  expect(reasonOf([])).toBeUndefined();
});

test.each([
  [{ same: 40 }, "nothing changed"],
  [undefined, "nothing changed"],
  [{ create: 3, replace: 1, same: 40 }, "3 created, 1 replaced, 40 unchanged"],
])("the changes %j are %s", (changes, expected) => expect(describeChanges(changes)).toBe(expected));

test("finds jobs in the state whose exit code is not 0", () => {
  const container = "docker:index/container:Container";
  const resources = [
    { urn: "a", type: container, outputs: { exitCode: 1 } },
    { urn: "b", type: container, outputs: { exitCode: 0 } },
    { urn: "c", type: container, outputs: {} },
    { urn: "d", type: "other", outputs: { exitCode: 1 } },
  ];
  expect(failedJobs({ resources })).toEqual(["a"]);
  expect(failedJobs({})).toEqual([]);
});
