import { request as plainRequest } from "node:http";
import { connect, type ConnectionOptions, type TLSSocket } from "node:tls";
import { describe, expect, test } from "vitest";
import { mustRun, run } from "../harness/process.ts";
import { ignoredLimits } from "../harness/docker/require-limits.ts";
import { containerOf, containers } from "./support/stack/docker.ts";
import { hasFront } from "./support/stack/engine-of-the-run.ts";
import { call } from "./support/clients/http.ts";
import { stack } from "./support/stack/stack.ts";

/** Design section 1: listeners, paths, TLS; section 2: only the gateway publishes ports. */
describe("Endpoints: the gateway", () => {
  test("plain HTTP only redirects to https", async () => {
    for (const [method, path] of [
      ["GET", "/"],
      ["GET", "/healthz?a=b"],
      ["POST", "/api/graphql"],
      ["POST", "/jwt/auth"],
    ] as const) {
      const { status, headers } = await plain(stack.httpUrl, method, path);
      expect([301, 308], path).toContain(status);
      expect(headers.location, path).toBe(new URL(path, stack.url).href);
    }
  });

  test("every reply has HSTS and a request id, and reveals no version", async () => {
    for (const reply of [
      await call("/healthz"),
      await call("/nothing"),
      await call("/api/graphql", { method: "POST", body: { query: "{ __typename }" } }),
    ]) {
      expect(reply.headers.get("strict-transport-security")).toMatch(/max-age=\d{7,}/);
      expect(reply.headers.get("x-request-id")).toMatch(/^[0-9a-f]{32}$/);
      expect(reply.headers.get("server") ?? "").not.toMatch(/\d/);
      expect(reply.headers.has("x-powered-by")).toBe(false);
    }
  });

  test.each(["TLSv1.2", "TLSv1.3"] as const)(
    "supports %s, with a certificate that the stack's CA signed for the host",
    async (version) => {
      const socket = await handshake({ minVersion: version, maxVersion: version, ca: stack.caCertificate });
      expect(socket.getProtocol()).toBe(version);
      expect(socket.authorized).toBe(true);
      socket.destroy();
    },
  );

  test("a client without the CA does not trust the certificate", async () => {
    await expect(handshake({})).rejects.toThrow(/self-signed|unable to (get|verify)/);
  });

  test("only the gateway publishes ports, on 127.0.0.1", async () => {
    for (const { id, service } of await containers("service")) {
      const ports = JSON.parse(
        await mustRun("docker", ["inspect", "--format", "{{json .HostConfig.PortBindings}}", id]),
      ) as Record<string, { HostIp: string }[]> | null;
      const addresses = Object.values(ports ?? {})
        .flat()
        .map(({ HostIp: address }) => address);
      expect(new Set(addresses), service).toEqual(new Set(service === "gateway" ? ["127.0.0.1"] : []));
    }
  });

  test("containers run read-only, unprivileged and within limits", async () => {
    const running = await containers("service");
    const image = await mustRun("docker", ["inspect", "--format", "{{.Config.Image}}", containerOf("database")]);
    expect(running.map(({ service }) => service).toSorted()).toEqual([
      // The official database image has no pgBackRest.
      ...(image.startsWith("routeql/") ? ["archive"] : []),
      "auth-sidecar",
      "database",
      "engine",
      ...(hasFront ? ["front"] : []),
      "gateway",
      "sessions",
    ]);
    for (const { id, service } of running) {
      const [inspected] = JSON.parse(await mustRun("docker", ["inspect", id])) as [Inspected];
      expect(inspected.Config.User, service).toMatch(/^(101\d\d|999)\b/);
      expect(inspected.HostConfig.ReadonlyRootfs, service).toBe(true);
      expect(inspected.HostConfig.CapDrop, service).toEqual(["ALL"]);
      expect(inspected.HostConfig.CapAdd ?? [], service).toEqual([]);
      expect(inspected.HostConfig.Privileged, service).toBe(false);
      expect(inspected.HostConfig.SecurityOpt?.join(), service).toContain("no-new-privileges");
      // An engine without a control group drops its limit.
      if (!ignoredLimits.has("memory")) expect(inspected.HostConfig.Memory, service).toBeGreaterThan(0);
      if (!ignoredLimits.has("processes"))
        expect(inspected.HostConfig.PidsLimit, `${service}: a limit of processes`).toBeGreaterThan(0);
      // A limit by user would also count the processes of other containers.
      expect(inspected.HostConfig.Ulimits?.map(({ Name: name }) => name) ?? [], service).not.toContain("nproc");
      if (!ignoredLimits.has("processors"))
        expect(inspected.HostConfig.CpuQuota, `${service}: a limit of processors`).toBeGreaterThan(0);
    }
  });

  test("jobs run within a limit of processes", async () => {
    const jobs = await containers("job");
    expect(jobs.map(({ service }) => service)).toContain("migrate");
    for (const { id, service } of jobs) {
      const [inspected] = JSON.parse(await mustRun("docker", ["inspect", id])) as [Inspected];
      expect(
        inspected.HostConfig.Ulimits?.map(({ Name: name }) => name),
        service,
      ).toContain("nproc");
    }
  });

  // A Docker network connects both ends of a call, so the callee could also reach the caller. This test ignores that direction.
  test("a service reaches only the services that it calls", async () => {
    const reach = async (from: string, host: string, port: number): Promise<boolean> => {
      const script = `exec 3<>/dev/tcp/${host}/${port}`;
      const { code } = await run("docker", ["exec", containerOf(from), "timeout", "3", "bash", "-c", script]);
      return code === 0;
    };
    const edges = [
      ["gateway", "engine", 8080, !hasFront],
      ["gateway", "auth-sidecar", 8080, true],
      ["gateway", "database", 5432, false],
      ["gateway", "sessions", 6379, false],
      ["engine", "database", 5432, true],
      ["engine", "auth-sidecar", 8080, !hasFront],
      ["engine", "sessions", 6379, false],
      ["auth-sidecar", "database", 5432, true],
      ["auth-sidecar", "sessions", 6379, true],
      ["sessions", "database", 5432, false],
      ...(hasFront ? edgesOfFront : []),
    ] as const;
    for (const [from, to, port, allowed] of edges)
      expect(await reach(from, to, port), `${from} to ${to}:${port}`).toBe(allowed);
  });
});

const edgesOfFront = [
  ["gateway", "front", 8080, true],
  ["front", "engine", 8080, true],
  ["front", "auth-sidecar", 8080, true],
  ["front", "database", 5432, false],
] as const;

interface Inspected {
  readonly Config: { readonly User: string };
  readonly HostConfig: {
    readonly ReadonlyRootfs: boolean;
    readonly CapDrop: string[] | null;
    readonly CapAdd: string[] | null;
    readonly Privileged: boolean;
    readonly SecurityOpt: string[] | null;
    readonly Memory: number;
    readonly PidsLimit: number | null;
    readonly CpuQuota: number;
    readonly Ulimits: { readonly Name: string }[] | null;
  };
}

async function plain(
  base: string,
  method: string,
  path: string,
): Promise<{ status: number; headers: Record<string, string | string[] | undefined> }> {
  const { promise, resolve, reject } = Promise.withResolvers<{
    status: number;
    headers: Record<string, string | string[] | undefined>;
  }>();
  const request = plainRequest(new URL(path, base), { method }, (response) => {
    response.resume();
    resolve({ status: response.statusCode as number, headers: response.headers });
  });
  request.on("error", reject);
  request.end();
  return promise;
}

async function handshake(options: ConnectionOptions): Promise<TLSSocket> {
  const { hostname, port } = new URL(stack.url);
  const { promise, resolve, reject } = Promise.withResolvers<TLSSocket>();
  const socket = connect({ host: hostname, port: Number(port), servername: hostname, ...options }, () =>
    resolve(socket),
  );
  socket.once("error", reject);
  return promise;
}
