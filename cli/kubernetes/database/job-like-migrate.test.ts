import type { Cluster } from "@routeql/host/kubernetes/cluster";
import { expect, test } from "vitest";
import { jobLike, startJobLikeMigrate } from "./job-like-migrate.ts";

const place = { server: "https://a.example.net:6443", namespace: "routes", instance: "routeql-prod" };
const labels = { "app.kubernetes.io/name": "migrate", "app.kubernetes.io/instance": place.instance };
const done = {
  apiVersion: "batch/v1",
  kind: "Job",
  metadata: { name: "migrate-1", uid: "u" },
  spec: {
    backoffLimit: 4,
    activeDeadlineSeconds: 1800,
    selector: { matchLabels: { "batch.kubernetes.io/controller-uid": "u" } },
    template: {
      metadata: {
        labels: {
          ...labels,
          "batch.kubernetes.io/controller-uid": "u",
          "batch.kubernetes.io/job-name": "migrate-1",
          "controller-uid": "u",
          "job-name": "migrate-1",
        },
      },
      spec: { restartPolicy: "Never", containers: [{ name: "migrate" }] },
    },
  },
};

test("a copied job has the pod and policy labels of the original, without its identity", () => {
  expect(
    jobLike(done, "migrate-2", place, { change: (spec) => ({ ...spec, hostname: "changed" }), deadlineSeconds: 60 }),
  ).toEqual({
    apiVersion: "batch/v1",
    kind: "Job",
    metadata: { name: "migrate-2", namespace: "routes", labels: { "app.kubernetes.io/instance": place.instance } },
    spec: {
      backoffLimit: 4,
      activeDeadlineSeconds: 60,
      ttlSecondsAfterFinished: 600,
      template: {
        metadata: { labels },
        spec: { restartPolicy: "Never", containers: [{ name: "migrate" }], hostname: "changed" },
      },
    },
  });
  expect(jobLike(done, "migrate-2", place)).toMatchObject({
    spec: { activeDeadlineSeconds: 1800, template: { spec: done.spec.template.spec } },
  });
});

test("a copied job has the annotations of the setting `pods`", () => {
  const annotations = { "sidecar.istio.io/inject": "false" };
  const { template } = done.spec;
  const annotated = {
    ...done,
    spec: { ...done.spec, template: { ...template, metadata: { ...template.metadata, annotations } } },
  };
  expect(jobLike(annotated, "clients-1", place)).toMatchObject({ spec: { template: { metadata: { annotations } } } });
});

test("without the stack's job it names the command that creates it", async () => {
  const cluster = { get: () => Promise.resolve(undefined) } as unknown as Cluster;
  await expect(startJobLikeMigrate(cluster, place, { services: [] }, { purpose: "again" })).rejects.toMatchObject({
    message: expect.stringContaining("The namespace routes has no job migrate") as string,
    remedy: expect.stringContaining("npm run up") as string,
  });
});
