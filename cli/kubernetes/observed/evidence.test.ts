import { expect, test } from "vitest";
import type { Reference } from "@routeql/host/kubernetes/objects";
import { evidenceOf } from "./evidence.ts";

const place = { server: "https://cluster.example.net", namespace: "routeql", instance: "routeql-prod" };
const pod = {
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name: "engine-1", managedFields: [{ manager: "noise" }] },
  status: { containerStatuses: [{ name: "engine", restartCount: 2 }] },
};
const event = {
  apiVersion: "v1",
  kind: "Event",
  metadata: { name: "e" },
  involvedObject: { kind: "Pod", name: "engine-1" },
  type: "Warning",
  reason: "BackOff",
  message: "Back-off restarting failed container",
  lastTimestamp: "2026-05-04T08:00:30Z",
  count: 3,
};

test("has events, objects and the log of a container before its restart", async () => {
  const files = await evidenceOf(
    {
      list: async ({ kind }: Pick<Reference, "kind">) => {
        if (kind === "Service") throw new Error("services is forbidden");
        return kind === "Pod" ? [pod] : kind === "Event" ? [event] : [];
      },
      logTail: async (namespace, name, container, _lines, _signal, of) =>
        `${namespace} ${name} ${container} ${String(of?.previous)}\n`,
    },
    place,
    new AbortController().signal,
  );
  const texts = Object.fromEntries(files.map(({ name, text }) => [name, text]));
  expect(texts["kubernetes/events.txt"]).toBe(
    "2026-05-04T08:00:30Z Warning BackOff Pod/engine-1 (3 times): Back-off restarting failed container\n",
  );
  expect(texts["logs/engine-1.earlier.log"]).toBe("routeql engine-1 engine true\n");
  expect(texts["kubernetes/pod.json"]).toContain("restartCount");
  expect(texts["kubernetes/pod.json"]).not.toContain("noise");
  expect(texts["kubernetes/service.json"]).toBe("not readable: services is forbidden\n");
});
