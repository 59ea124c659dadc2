import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Agent, fetch } from "undici";
import { afterAll, beforeAll, beforeEach, expect, test, vi } from "vitest";
import type { StackAccess } from "@routeql/cli/access/access";
import { bringDown, bringUp } from "../harness/stack/commands.ts";
import { stackPaths } from "@routeql/host/paths";
import { startDirectory } from "../auth-sidecar/directory-container.ts";
import { freePorts } from "../harness/free-ports.ts";
import { hostAddress } from "../harness/docker/host-address.ts";
import { mustRun } from "../harness/process.ts";
import { newStackName } from "../harness/run/stack-name.ts";

const stack = newStackName("directory");
let access: StackAccess;
let environmentFile: string;
let dispatcher: Agent;

/** Clean-up steps; the last one runs first. */
const undo: (() => Promise<unknown>)[] = [];

beforeAll(async () => {
  const host = hostAddress();
  const directory = await startDirectory("openldap", `IP:${host}`);
  undo.push(() => directory.stop());
  const folder = await mkdtemp(join(tmpdir(), "routeql-directory-"));
  undo.push(() => rm(folder, { recursive: true }));
  await writeFile(join(folder, "ca.pem"), directory.ca);
  const [httpPort, httpsPort, consolePort] = await freePorts(3);
  const settings = [
    `HTTP_PORT=${httpPort}`,
    `HTTPS_PORT=${httpsPort}`,
    `CONSOLE_PORT=${consolePort}`,
    `LDAP_URL=ldaps://${host}:${directory.getPublishedTlsPort()}`,
    `LDAP_CA_FILE=${join(folder, "ca.pem")}`,
    "LDAP_BIND_DN=cn=search,dc=example,dc=net",
    "LDAP_BIND_PASSWORD=directory-search",
    "LDAP_USER_BASE=ou=people,dc=example,dc=net",
    "LDAP_GROUP_BASE=ou=groups,dc=example,dc=net",
    "LDAP_ROLES=operator: noc; viewer: *",
  ];
  environmentFile = join(folder, "environment");
  await writeFile(environmentFile, settings.join("\n"));
  vi.stubEnv("ROUTEQL_ENVIRONMENT_FILE", environmentFile);
  undo.push(async () => {
    await bringDown({ stack, volumes: true });
    await rm(stackPaths(stack).folder, { recursive: true });
  });
  ({ access } = await bringUp({ stack }));
  dispatcher = new Agent({ connect: { ca: await readFile(access.caFile, "utf8") } });
  undo.push(() => dispatcher.close());
}, 900_000);

// Each test begins without the stubs of the former one.
beforeEach(() => void vi.stubEnv("ROUTEQL_ENVIRONMENT_FILE", environmentFile));

afterAll(async () => {
  for (const step of undo.toReversed()) await step();
}, 300_000);

const containers = async (): Promise<string[]> =>
  (await mustRun("docker", ["ps", "-aq", "--no-trunc", "--filter", `label=com.routeql.stack=${stack}`]))
    .split("\n")
    .toSorted();

async function login(email: string, password: string): Promise<{ status: number; body: unknown }> {
  const response = await fetch(`${access.url}/api/auth/login/ldap`, {
    method: "POST",
    headers: { "content-type": "application/json", "x-service-api-key": access.serviceApiKey },
    body: JSON.stringify({ email, password }),
    dispatcher,
  });
  return { status: response.status, body: await response.json() };
}

test.each<[string, Record<string, string>, RegExp]>([
  ["base", { ldapUserBase: "ou=peple,dc=example,dc=net" }, /LDAP_USER_BASE ou=peple,dc=example,dc=net does not exist/],
  ["password", { ldapBindPassword: "a wrong password" }, /correct LDAP_BIND_DN and LDAP_BIND_PASSWORD/],
])("a wrong %s of the directory stops an update before anything changes", async (_what, settings, reason) => {
  const before = await containers();
  await expect(bringUp({ stack, settings })).rejects.toThrow(reason);
  expect(await containers()).toEqual(before);
});

test("an account of the directory logs in through the gateway, with the role of its group", async () => {
  expect(await login("ada@example.net", "ada has a password")).toMatchObject({
    status: 200,
    body: { user: { email: "Ada@example.net", role: "operator" } },
  });
  expect(await login("ben@example.net", "ben has a password")).toMatchObject({
    status: 200,
    body: { user: { role: "viewer" } },
  });
  expect(await login("ben@example.net", "ada has a password")).toMatchObject({
    status: 401,
    body: { code: "wrong-credentials" },
  });
});
