import { expect, test } from "vitest";
import { podState, withoutReplaced } from "./service-states.ts";

const pod = (status: object, more: object = {}) => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name: "engine-1", labels: { "app.kubernetes.io/name": "engine" }, ...more },
  spec: { containers: [{ name: "engine", image: "registry.example.net/routeql/engine:1" }] },
  status,
});

test("reads a pod that serves", () => {
  const started = "2026-05-04T08:00:00Z";
  expect(
    podState(
      pod({
        phase: "Running",
        conditions: [{ type: "Ready", status: "True" }],
        containerStatuses: [
          { name: "engine", ready: true, restartCount: 2, state: { running: { startedAt: started } } },
        ],
      }),
    ),
  ).toEqual({
    service: "engine",
    container: "engine-1",
    kind: "service",
    state: "running",
    health: "healthy",
    exitCode: undefined,
    image: "registry.example.net/routeql/engine:1",
    restarts: 2,
    since: started,
    detail: undefined,
  });
});

test("names why a pod does not serve", () => {
  const waiting = { name: "engine", ready: false, restartCount: 4, state: { waiting: { reason: "CrashLoopBackOff" } } };
  expect(
    podState(
      pod({
        phase: "Running",
        conditions: [{ type: "Ready", status: "False", lastTransitionTime: "2026-05-04T08:00:00Z" }],
        containerStatuses: [waiting],
      }),
    ),
  ).toMatchObject({
    health: "unhealthy",
    restarts: 4,
    since: "2026-05-04T08:00:00Z",
    detail: expect.stringContaining("CrashLoopBackOff") as string,
  });
});

test("reads the exit code of a job's pod", () => {
  const failed = pod(
    {
      phase: "Failed",
      containerStatuses: [
        { name: "migrate", state: { terminated: { exitCode: 3, finishedAt: "2026-05-04T08:00:00Z" } } },
      ],
    },
    { ownerReferences: [{ kind: "Job" }] },
  );
  expect(podState(failed)).toMatchObject({ kind: "job", state: "failed", exitCode: 3, health: undefined });
});

test("leaves out failed attempts of a job that succeeded later", () => {
  const attempt = (phase: string, service: string) => ({ ...podState(pod({ phase })), service });
  const states = [attempt("Failed", "migrate"), attempt("Succeeded", "migrate"), attempt("Failed", "apply-metadata")];
  expect(withoutReplaced(states).map(({ service, state }) => `${service} ${state}`)).toEqual([
    "migrate succeeded",
    "apply-metadata failed",
  ]);
});
