import { createHash } from "node:crypto";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { clientOptions } from "./client.ts";
import { daemonAddress, daemonEnvironment } from "./daemon-address.ts";

let home: string;

/** Creates a context as `docker context create` stores it. */
async function makeContext(
  name: string,
  endpoint: object,
  files: Readonly<Record<string, string>> = {},
): Promise<void> {
  const id = createHash("sha256").update(name).digest("hex");
  const [meta, tls] = [join(home, ".docker/contexts/meta", id), join(home, ".docker/contexts/tls", id, "docker")];
  await mkdir(meta, { recursive: true });
  await writeFile(
    join(meta, "meta.json"),
    JSON.stringify({ Name: name, Metadata: {}, Endpoints: { docker: endpoint } }),
  );
  for (const [file, content] of Object.entries(files)) {
    await mkdir(tls, { recursive: true });
    await writeFile(join(tls, file), content);
  }
}

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), "routeql-contexts-"));
  await makeContext("colima", { Host: "unix:///home/anna/.colima/docker.sock", SkipTLSVerify: false });
  await makeContext(
    "lab",
    { Host: "tcp://lab.example.net:2376" },
    { "ca.pem": "authority", "cert.pem": "certificate", "key.pem": "key" },
  );
  await makeContext("unverified", { Host: "tcp://lab.example.net:2376", SkipTLSVerify: true });
  await makeContext("far", { Host: "ssh://anna@lab.example.net" });
  await writeFile(join(home, ".docker/config.json"), JSON.stringify({ currentContext: "colima" }));
});
afterAll(() => rm(home, { recursive: true }));

test("DOCKER_HOST overrides DOCKER_CONTEXT, which overrides the current context", () => {
  const both = { DOCKER_HOST: "unix:///run/one.sock", DOCKER_CONTEXT: "lab" };
  expect(daemonAddress(both, home)).toMatchObject({ endpoint: "unix:///run/one.sock", origin: "DOCKER_HOST" });
  expect(daemonAddress({ DOCKER_CONTEXT: "lab" }, home)).toMatchObject({
    endpoint: "tcp://lab.example.net:2376",
    origin: "the Docker context lab (DOCKER_CONTEXT)",
  });
  expect(daemonAddress({}, home)).toMatchObject({
    endpoint: "unix:///home/anna/.colima/docker.sock",
    origin: expect.stringContaining("the Docker context colima"),
  });
  expect(daemonAddress({ DOCKER_CONFIG: join(home, ".docker") }, "/nowhere").endpoint).toBe(
    "unix:///home/anna/.colima/docker.sock",
  );
});

test.each([
  ["/run/user/1000/docker.sock", "unix:///run/user/1000/docker.sock"],
  ["unix:///run/docker.sock\r", "unix:///run/docker.sock"],
  ["lab.example.net:2376", "tcp://lab.example.net:2376"],
  ["lab.example.net", "tcp://lab.example.net"],
  ["lab.example.net:2376/", "tcp://lab.example.net:2376/"],
  ["tcp://[2001:db8::1]:2376", "tcp://[2001:db8::1]:2376"],
])("DOCKER_HOST=%j is %s", (host, endpoint) => {
  expect(daemonAddress({ DOCKER_HOST: host }, home).endpoint).toBe(endpoint);
});

test.each([
  "unix://var/run/docker.sock",
  "tcp:///var/run/docker.sock",
  "-H unix:///a -H tcp://b",
  "fd://",
  "tcp://[::1",
  "unix:/var/run/docker.sock",
  "./docker.sock",
  "~/docker.sock",
  "run/docker.sock",
  "tcp://~/docker.sock",
])("DOCKER_HOST=%s is refused with the form of an address", (host) => {
  const address = (): unknown => daemonAddress({ DOCKER_HOST: host }, home);
  expect(address).toThrow(/DOCKER_HOST names the daemon/);
  expect(address).toThrow(expect.objectContaining({ remedy: expect.stringContaining("unix:///") }));
});

test("the context default is the standard socket", () => {
  expect(daemonAddress({ DOCKER_CONTEXT: "default" }, home).endpoint).toMatch(/docker\.sock$/);
});

test("uses the certificates of a context, and passes them to other programs", () => {
  const address = daemonAddress({ DOCKER_CONTEXT: "lab" }, home);
  expect(clientOptions(address)).toMatchObject({
    host: "lab.example.net",
    port: "2376",
    protocol: "https",
    ca: Buffer.from("authority"),
    key: Buffer.from("key"),
  });
  expect(daemonEnvironment(address)).toEqual({
    DOCKER_HOST: "tcp://lab.example.net:2376",
    DOCKER_CERT_PATH: address.tls?.folder,
    DOCKER_TLS_VERIFY: "1",
  });
});

test("does not verify a context that skips the verification", () => {
  const { agent } = clientOptions(daemonAddress({ DOCKER_CONTEXT: "unverified" }, home));
  expect(agent?.options.rejectUnauthorized).toBe(false);
});

test.each([
  [{ DOCKER_HOST: "tcp://10.0.0.1" }, { host: "10.0.0.1", port: "2375", protocol: "http" }],
  [{ DOCKER_HOST: "10.0.0.1:9999" }, { host: "10.0.0.1", port: "9999", protocol: "http" }],
  [
    { DOCKER_HOST: "tcp://10.0.0.1:2376", DOCKER_TLS_VERIFY: "1" },
    { port: "2376", protocol: "https" },
  ],
])("%o selects %j", (environment, options) => {
  expect(clientOptions(daemonAddress(environment, home))).toMatchObject(options);
});

test("names a missing context and the variable that selects it", () => {
  expect(() => daemonAddress({ DOCKER_CONTEXT: "gone" }, home)).toThrow(
    "The Docker context gone, set in DOCKER_CONTEXT, does not exist",
  );
});

test("rejects a daemon behind ssh, with an alternative", () => {
  expect(() => daemonAddress({ DOCKER_CONTEXT: "far" }, home)).toThrow("only unix:// and tcp:// are supported");
});

test("without a standard socket, tries the sockets of rootless Docker and Docker Desktop", () => {
  const exists =
    (...paths: string[]) =>
    (path: string): boolean =>
      paths.includes(path);
  const desktop = "/home/anna/.docker/run/docker.sock";
  const originOf = (environment: NodeJS.ProcessEnv, ...paths: string[]): string =>
    daemonAddress(environment, "/home/anna", exists(...paths)).origin;
  expect(daemonAddress({}, "/home/anna", exists(desktop))).toMatchObject({
    endpoint: `unix://${desktop}`,
    origin: "the socket of Docker Desktop",
  });
  expect(originOf({ XDG_RUNTIME_DIR: "/run/user/7" }, desktop, "/run/user/7/docker.sock")).toBe(
    "the socket of rootless Docker",
  );
  expect(originOf({}, desktop, "/var/run/docker.sock")).toBe("the standard socket");
  expect(originOf({})).toBe("the standard socket");
});
