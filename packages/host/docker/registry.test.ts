import { chmod, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { credentialsFor, registryOf, registryProblem } from "./registry.ts";

test.each([
  ["(HTTP code 401) no such image - unauthorized: authentication required", "login"],
  ['Head "http://127.0.0.1:5000/v2/a/manifests/1": no basic auth credentials', "login"],
  [
    "pull access denied for a, repository does not exist or may require 'docker login': denied: requested access to the resource is denied",
    "denied",
  ],
  ["unexpected status from HEAD request to https://r/v2/a/manifests/1: 403 Forbidden", "denied"],
  ["manifest for 127.0.0.1:5000/a:1 not found: manifest unknown: manifest unknown", "name"],
  ["toomanyrequests: You have reached your unauthenticated pull rate limit.", "rate"],
  ['Get "https://r/v2/": dial tcp: lookup r on 192.0.2.1:53: no such host', "unreachable"],
  ['Get "https://r/v2/": dial tcp 192.0.2.1:443: connect: no route to host', "unreachable"],
  [
    'Get "https://r/v2/": net/http: request canceled while waiting for connection (Client.Timeout exceeded while awaiting headers)',
    "unreachable",
  ],
  ['Get "https://r/v2/": proxyconnect tcp: dial tcp 192.0.2.1:3128: connect: connection refused', "proxy"],
  ['Get "https://r/v2/": x509: certificate signed by unknown authority', "certificate"],
  ["something else", "other"],
])("%s is a problem of the kind %s", (text, kind) => {
  const problem = registryProblem(new Error(text), "r.example.net/a:1", false);
  expect(problem.kind).toBe(kind);
  expect(problem.reason).toContain(text.replace(/^\(HTTP.* - /, ""));
  expect(problem.remedy).toMatch(/\.$/);
});

test("the remedy for a login differs when the stored credentials are rejected", () => {
  const error = new Error("unauthorized: incorrect username or password");
  expect(registryProblem(error, "r.example.net/a:1", false).remedy).toBe("run docker login r.example.net.");
  expect(registryProblem(error, "r.example.net/a:1", true).remedy).toBe(
    "the registry rejects the stored credentials: run docker login r.example.net again.",
  );
});

let folder: string;
const path = process.env["PATH"];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "routeql-credentials-"));
  process.env["PATH"] = `${folder}:${path}`;
});

afterEach(async () => {
  process.env["PATH"] = path;
  await rm(folder, { recursive: true });
});

const configure = (config: unknown): Promise<void> => writeFile(join(folder, "config.json"), JSON.stringify(config));
const base64 = (text: string): string => Buffer.from(text).toString("base64");

/** Installs a credential helper with the registries of `answers`. */
async function installHelper(name: string, answers: Record<string, unknown>): Promise<void> {
  const program = join(folder, `docker-credential-${name}`);
  await writeFile(
    program,
    `#!/usr/bin/env node
const answers = ${JSON.stringify(answers)};
let key = "";
process.stdin.on("data", (chunk) => (key += chunk)).on("end", () => {
  if (process.argv[2] !== "get" || answers[key] === undefined) {
    console.log("credentials not found in native keychain");
    process.exitCode = 1;
  } else console.log(JSON.stringify(answers[key]));
});
`,
  );
  await chmod(program, 0o755);
}

test.each([
  ["postgres:17.12", "docker.io"],
  ["hasura/graphql-engine:v2.50.10", "docker.io"],
  ["docker.io/library/nginx:1.30.7", "docker.io"],
  ["127.0.0.1:5000/postgres:17.12", "127.0.0.1:5000"],
  ["localhost/a:1", "localhost"],
  ["ghcr.io/a/b:1", "ghcr.io"],
])("the registry of %s is %s", (image, registry) => expect(registryOf(image)).toBe(registry));

test("without a configuration there are no credentials", async () => {
  expect(await credentialsFor("nginx:1", folder)).toBeUndefined();
});

test("reads a login with a colon in the password", async () => {
  await configure({ auths: { "registry.example.net": { auth: base64("ada:pass:word") } } });
  expect(await credentialsFor("registry.example.net/nginx:1", folder)).toEqual({
    username: "ada",
    password: "pass:word",
    serveraddress: "registry.example.net",
  });
  expect(await credentialsFor("other.example.net/nginx:1", folder)).toBeUndefined();
});

test("reads a login of Docker Hub under its old address", async () => {
  await configure({ auths: { "https://index.docker.io/v1/": { auth: base64("ada:secret") } } });
  expect(await credentialsFor("postgres:17.12", folder)).toMatchObject({ username: "ada", password: "secret" });
});

test("reads an identity token", async () => {
  await configure({ auths: { "registry.example.net": { auth: base64("00000000:"), identitytoken: "abc" } } });
  expect(await credentialsFor("registry.example.net/nginx:1", folder)).toEqual({
    identitytoken: "abc",
    serveraddress: "registry.example.net",
  });
});

test("the helper of a registry overrides the store, and the store overrides the file", async () => {
  await installHelper("one", { "a.example.net": { Username: "helper", Secret: "1" } });
  await installHelper("all", {
    "b.example.net": { Username: "<token>", Secret: "2" },
    "a.example.net": { Username: "store", Secret: "3" },
  });
  await configure({
    auths: { "a.example.net": { auth: base64("file:4") }, "b.example.net": {} },
    credHelpers: { "a.example.net": "one" },
    credsStore: "all",
  });
  expect(await credentialsFor("a.example.net/x:1", folder)).toMatchObject({ username: "helper", password: "1" });
  expect(await credentialsFor("b.example.net/x:1", folder)).toMatchObject({ identitytoken: "2" });
  expect(await credentialsFor("c.example.net/x:1", folder)).toBeUndefined();
});

test("names a helper that prints more than JSON, without its answer", async () => {
  const program = join(folder, "docker-credential-loud");
  await writeFile(program, `#!/bin/sh\necho '{"Username":"ada","Secret":"hidden"} (cached)'\n`);
  await chmod(program, 0o755);
  await configure({ credsStore: "loud" });
  const asked = credentialsFor("registry.example.net/nginx:1", folder);
  await expect(asked).rejects.toThrow(/^docker-credential-loud, .* does not print JSON alone/);
  await expect(asked).rejects.not.toThrow(/hidden/);
});

test("names a helper that is not installed", async () => {
  await configure({ credsStore: "missing" });
  await expect(credentialsFor("nginx:1", folder)).rejects.toThrow(
    /docker-credential-missing.*is not installed.*remove credsStore/,
  );
});

test.each([
  "",
  "\n",
  "null",
  '{"auths": null, "credHelpers": null}',
  '{"auths": {"https://index.docker.io/v1/": null}}',
])("reads %j as no login, like the docker command", async (text) => {
  await writeFile(join(folder, "config.json"), text);
  expect(await credentialsFor("nginx:1", folder)).toBeUndefined();
});

test("names a configuration that cannot be read, and how to get it back", async () => {
  const other = join(folder, "other");
  await mkdir(join(other, "config.json"), { recursive: true });
  await expect(credentialsFor("nginx:1", other)).rejects.toThrow(/config\.json cannot be read \(EISDIR\).*chown/);
});

test("names a configuration file that is not JSON", async () => {
  await writeFile(join(folder, "config.json"), "{");
  await expect(credentialsFor("nginx:1", folder)).rejects.toThrow(/config\.json is not valid JSON/);
});
