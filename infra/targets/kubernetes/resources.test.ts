import { expect, test } from "vitest";
import { podsOf } from "../../settings/values/pods.ts";
import { resourcesOf } from "./resources.ts";

const needs = { cpuMillicores: 250, memoryMegabytes: 640 };
const of = (resources: object, described = needs) =>
  resourcesOf("engine", described, podsOf(JSON.stringify({ engine: { resources } }))("engine"));

test.each([
  [{}, { cpu: "250m", memory: "640Mi" }, { cpu: "2", memory: "640Mi" }],
  [{ requests: { cpu: "1", memory: "1Gi" } }, { cpu: "1", memory: "1Gi" }, { cpu: "8", memory: "1Gi" }],
  [{ requests: { memory: "256Mi" } }, { cpu: "250m", memory: "256Mi" }, { cpu: "2", memory: "640Mi" }],
  [{ limits: { cpu: "none", memory: "2Gi" } }, { cpu: "250m", memory: "640Mi" }, { memory: "2Gi" }],
])("resources %o", (given, requests, limits) => expect(of(given)).toEqual({ requests, limits }));

test.each([
  [{ limits: { memory: "512Mi" } }, "limits memory to 512Mi, but it needs 640Mi: lower the request only"],
  [{ requests: { memory: "2Gi" }, limits: { memory: "1Gi" } }, "limits memory to 1Gi, below the request of 2Gi"],
  [{ limits: { cpu: "100m" } }, "limits processors to 100m, below the request of 250m: set both"],
])("refuses %o", (given, problem) => expect(() => of(given)).toThrow(problem));
