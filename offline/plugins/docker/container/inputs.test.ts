import { afterEach, expect, test, vi } from "vitest";
import { containerBody, containerInputs, durationNanoseconds } from "./inputs.ts";
import { runningDrift, settingsDrift } from "./container.ts";
import type { ContainerInputs } from "./inputs.ts";

const inputs: ContainerInputs = {
  name: "a",
  image: "i",
  envs: ["A=1"],
  memory: 64,
  memorySwap: 64,
  networksAdvanced: [{ name: "one", aliases: ["a"] }, { name: "two" }],
  ports: [{ internal: 80, external: 8080, ip: "127.0.0.1" }],
  volumes: [{ volumeName: "v", containerPath: "/v", readOnly: true }],
  healthcheck: { tests: ["CMD", "true"], interval: "1m30s", retries: 3 },
  restart: "unless-stopped",
  wait: true,
};

afterEach(() => vi.unstubAllEnvs());

test.each([
  ["a folder of the host", { volumes: [{ hostPath: "/", containerPath: "/host" }] }],
  ["a folder below the archive's", { volumes: [{ hostPath: "/mnt/archive/..", containerPath: "/host" }] }],
  ["an empty folder", { volumes: [{ hostPath: "", containerPath: "/host" }] }],
  ["a folder as the name of a volume", { volumes: [{ volumeName: "/etc", containerPath: "/host" }] }],
  ["the host's network", { networkMode: "host" }],
  ["another container's network", { networkMode: "container:database" }],
  ["a profile without restrictions", { securityOpts: ["apparmor=unconfined"] }],
  ["an added capability", { capabilities: { adds: ["SYS_ADMIN"] } }],
  ["all privileges", { privileged: true }],
])("refuses a container with %s", (_title, more) => {
  vi.stubEnv("ROUTEQL_HOST_FOLDER", "/mnt/archive");
  expect(containerInputs.safeParse({ ...inputs, ...more }).success).toBe(false);
});

test("mounts the folder of the program, and no folder without one", () => {
  const archive = { ...inputs, volumes: [{ hostPath: "/mnt/archive", containerPath: "/var/lib/pgbackrest" }] };
  expect(containerInputs.safeParse(archive).success).toBe(false);
  vi.stubEnv("ROUTEQL_HOST_FOLDER", "/mnt/archive");
  expect(containerInputs.safeParse(archive).success).toBe(true);
  const [volume] = archive.volumes;
  const labelled = containerInputs.parse({ ...archive, volumes: [{ ...volume, selinuxRelabel: "z" }] });
  expect(containerBody(labelled).HostConfig?.Binds).toEqual(["/mnt/archive:/var/lib/pgbackrest:rw,z"]);
});

test("gives a container the host names of EXTRA_HOSTS, with addresses of IPv4 and IPv6", () => {
  const named = containerInputs.parse({
    ...inputs,
    hosts: [
      { host: "ldap.example.net", ip: "192.0.2.7" },
      { host: "ldap.example.net", ip: "2001:db8::7" },
    ],
  });
  const { HostConfig } = containerBody(named);
  expect(HostConfig?.ExtraHosts).toEqual(["ldap.example.net:192.0.2.7", "ldap.example.net:2001:db8::7"]);
});

test.each([
  ["5s", 5e9],
  ["500ms", 5e8],
  ["1m30s", 90e9],
  ["1.5h", 5400e9],
])("%s is %d nanoseconds", (text, expected) => expect(durationNanoseconds(text)).toBe(expected));

test("translates the inputs to the daemon's terms and omits absent ones", () => {
  const body = containerBody(inputs);
  expect(body).toMatchObject({
    Image: "i",
    Env: ["A=1"],
    ExposedPorts: { "80/tcp": {} },
    Healthcheck: { Test: ["CMD", "true"], Interval: 90e9, Retries: 3 },
    HostConfig: {
      NetworkMode: "bridge",
      Memory: 64 * 1024 * 1024,
      Binds: ["v:/v:ro"],
      PortBindings: { "80/tcp": [{ HostIp: "127.0.0.1", HostPort: "8080" }] },
      RestartPolicy: { Name: "unless-stopped", MaximumRetryCount: 0 },
    },
  });
  expect(body).not.toHaveProperty("User");
  expect(body.HostConfig).not.toHaveProperty("ReadonlyRootfs");
});

/** The Docker daemon's description of an unchanged container, including fields that the daemon adds. */
function inspection(): Parameters<typeof settingsDrift>[1] {
  const { HostConfig: host, ...config } = containerBody(inputs);
  return {
    Config: { ...config, Env: ["PATH=/bin", "A=1"], Labels: {}, Hostname: "x" },
    HostConfig: { ...host, MemorySwap: -1, ReadonlyRootfs: false },
    NetworkSettings: { Networks: { one: {}, two: {} } },
    State: { Running: true, Paused: false, Status: "running", Health: { Status: "healthy" } },
  } as unknown as Parameters<typeof settingsDrift>[1];
}

test("an unchanged container has no drift, despite fields added by the daemon", () => {
  expect(settingsDrift(inputs, inspection())).toEqual([]);
  expect(runningDrift(inputs, inspection())).toEqual([]);
});

test("names changed settings and missing networks", () => {
  const info = inspection();
  info.HostConfig.Memory = 1;
  info.Config.Env = ["A=2"];
  delete info.NetworkSettings.Networks.two;
  expect(settingsDrift(inputs, info)).toEqual(["Config.Env", "HostConfig.Memory", "NetworkSettings.Networks.two"]);
});

test.each([
  [{ Running: false, Status: "exited" }, ["the container is exited"]],
  [{ Running: true, Paused: true, Status: "paused" }, ["the container is paused"]],
  [{ Running: true, Paused: false, Health: { Status: "unhealthy" } }, ["the container is unhealthy"]],
  [{ Running: true, Paused: false, Health: { Status: "starting" } }, []],
])("a container in the state %j drifts by %j", (state, expected) => {
  const info = { ...inspection(), State: state } as unknown as ReturnType<typeof inspection>;
  expect(runningDrift(inputs, info)).toEqual(expected);
});

test("a stopped container has no drift if it need not run", () => {
  const info = { ...inspection(), State: { Running: false, Status: "exited" } } as unknown as ReturnType<
    typeof inspection
  >;
  expect(runningDrift({ ...inputs, mustRun: false }, info)).toEqual([]);
  expect(runningDrift({ ...inputs, start: false }, info)).toEqual([]);
});
