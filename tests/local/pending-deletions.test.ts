import { ComponentResource } from "@pulumi/pulumi";
import type { PulumiFn } from "@pulumi/pulumi/automation/index.js";
import { afterAll, beforeAll, expect, test } from "vitest";
import { runOnDocker } from "@routeql/infra/targets/docker/run";
import { runOnKubernetes } from "@routeql/infra/targets/kubernetes/run";
import { describeTestService, testImage, testSecrets } from "@routeql/infra/testing/descriptions";
import { mustRun } from "../harness/process.ts";
import { type FakeCluster, fakeCluster } from "./support/fake-cluster.ts";
import { tinyStack } from "./support/tiny-stack.ts";

// The real engine with its state, the kubernetes provider and the target's program; only the API server is in memory.

let cluster: FakeCluster;
const before = process.env["KUBECONFIG"];
beforeAll(async () => {
  cluster = await fakeCluster();
  process.env["KUBECONFIG"] = cluster.kubeconfig;
});
afterAll(async () => {
  if (before === undefined) delete process.env["KUBECONFIG"];
  else process.env["KUBECONFIG"] = before;
  await cluster[Symbol.asyncDispose]();
});

const job = describeTestService({ name: "migrate", image: "engine", run: "job", health: undefined });

/** A job and a service whose file and secret have this content. */
function program(version: string): PulumiFn {
  return async () => {
    const read = { files: { "a.txt": version }, secrets: { KEY_FILE: "engine-access-key" as const } };
    const services = [{ ...job, ...read }, describeTestService({ ...read, after: ["migrate"] })];
    runOnKubernetes(
      {
        services,
        secrets: testSecrets({ "engine-access-key": version }),
        images: { built: [testImage("engine")], pulled: [], push: false },
        scope: {
          namespace: "routes",
          instance: "routeql-tiny",
          clusterDomain: "cluster.local",
          ipFamilies: {},
          contentNames: false,
          named: (part) => part,
        },
        createNamespace: false,
        replicas: {},
        storage: {},
        publication: { type: "ClusterIP" },
        outside: {},
        nameServers: [],
        pods: () => ({}),
        protectData: false,
      },
      new ComponentResource("routeql:test:Parent", "parent"),
    );
  };
}

interface Source {
  readonly configMap?: { readonly name: string };
  readonly secret?: { readonly name: string };
}

/** Names of the ConfigMaps and Secrets that the pods of the workloads mount and that do not exist. */
function missing(): string[] {
  const names = (kind: string): string[] => cluster.all(kind).map(({ metadata }) => metadata.name);
  const present = new Set([...names("ConfigMap"), ...names("Secret")]);
  return [...cluster.all("Deployment"), ...cluster.all("Job")]
    .flatMap(({ spec }) => {
      const { template } = spec as { template: { spec: { volumes: { projected: { sources: Source[] } }[] } } };
      return template.spec.volumes.flatMap(({ projected }) => projected.sources);
    })
    .map(({ configMap, secret }) => configMap?.name ?? secret?.name ?? "")
    .filter((name) => !present.has(name));
}

test("updates that were interrupted and taken back keep every object that runs", { timeout: 600_000 }, async () => {
  await using tiny = await tinyStack();
  await tiny.up(program("a"));
  expect(missing()).toEqual([]);
  // Each waits for a workload when it ends, with replaced objects as pending deletions in the state.
  for (const [interrupted, then] of [
    ["b", "a"],
    ["c", "b"],
    ["a", "b"],
  ] as const) {
    cluster.holds = true;
    const end = new AbortController();
    const update = tiny.up(program(interrupted), end.signal).then(
      () => "done",
      () => "interrupted",
    );
    const jobs = new Set(cluster.all("Job").map(({ metadata }) => metadata.name));
    await expect
      .poll(() => cluster.all("Job").some(({ metadata }) => !jobs.has(metadata.name)), { timeout: 60_000 })
      .toBe(true);
    end.abort(new Error("Ctrl-C"));
    expect(await update).toBe("interrupted");
    cluster.holds = false;
    await tiny.up(program(then));
    expect(missing(), `${interrupted}, then ${then}`).toEqual([]);
    expect([cluster.all("Job").length, cluster.all("ConfigMap").length, cluster.all("Secret").length]).toEqual([
      1, 2, 2,
    ]);
    expect((await tiny.up(program(then))).changes).toMatchObject({ same: expect.any(Number) });
  }
});

/** A service with one file of this name and content. @param holds whether it never becomes healthy, so that an update waits for it */
function onDocker(stack: string, file: string, holds: boolean): PulumiFn {
  return async () => {
    const service = describeTestService({
      entrypoint: ["sleep", "infinity"],
      files: { [file]: file },
      health: { kind: "command", command: [holds ? "false" : "true"] },
      graceSeconds: 1,
    });
    runOnDocker(
      {
        services: [service],
        secrets: testSecrets(),
        images: { built: [], pulled: [{ name: "engine", imageName: "debian:trixie-slim" }] },
        scope: { prefix: `routeql-${stack}`, stack, named: (part) => part },
        hostAddress: "127.0.0.1",
        processorLimit: 1,
        protectData: false,
      },
      new ComponentResource("routeql:test:Parent", "parent"),
    );
  };
}

test("on Docker, updates that were interrupted and taken back keep every volume", { timeout: 600_000 }, async () => {
  await using tiny = await tinyStack();
  const docker = async (...args: string[]): Promise<string> => (await mustRun("docker", args)).trim();
  const volumes = async (): Promise<string[]> =>
    (await docker("volume", "ls", "--quiet", "--filter", `label=com.routeql.stack=${tiny.name}`)).split("\n");
  const container = `routeql-${tiny.name}-engine`;
  const mounted = async (): Promise<string> =>
    docker("inspect", "--format", "{{range .Mounts}}{{.Name}}{{end}}", container).catch(() => "");
  await tiny.up(onDocker(tiny.name, "a", false));
  for (const [interrupted, then] of [
    ["b", "a"],
    ["c", "b"],
  ] as const) {
    const before = await volumes();
    expect([await mounted()]).toEqual(before);
    const end = new AbortController();
    const update = tiny.up(onDocker(tiny.name, interrupted, true), end.signal).then(
      () => "done",
      () => "interrupted",
    );
    await expect.poll(mounted, { timeout: 60_000 }).not.toMatch(new RegExp(`^(${before.join("|")})?$`));
    end.abort(new Error("Ctrl-C"));
    expect(await update).toBe("interrupted");
    await tiny.up(onDocker(tiny.name, then, false));
    expect(await docker("exec", container, "ls", "/run/routeql"), `${interrupted}, then ${then}`).toBe(then);
    expect(await volumes()).toEqual([await mounted()]);
  }
});
