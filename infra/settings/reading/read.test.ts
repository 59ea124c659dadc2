import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { SettingsError } from "./error.ts";
import { settingNames, settings } from "../list.ts";
import { readSettings, settingsSources } from "./read.ts";

const key = randomBytes(20).toString("hex");
const otherKey = randomBytes(20).toString("hex");

function read(configuration: Record<string, string>, content?: string) {
  return readSettings({
    stack: "staging",
    configuration,
    environmentFile: content === undefined ? undefined : { name: ".env", content },
  }).given;
}

function problems(configuration: Record<string, string>, content?: string): string[] {
  try {
    read(configuration, content);
  } catch (error) {
    if (error instanceof SettingsError)
      return error.problems.map(({ name, problem, place }) => `${name} ${problem} (${place})`);
    throw error;
  }
  return [];
}

test("no input gives no settings", () => expect(read({})).toEqual({}));

test("converts values to the type of their setting", () => {
  expect(read({ httpPort: "8080", engineConsole: "true" }, "PUBLIC_HOST=routes.example.net")).toEqual({
    httpPort: 8080,
    engineConsole: true,
    publicHost: "routes.example.net",
  });
});

test("the stack's configuration overrides the environment file", () => {
  expect(read({ httpPort: "8080" }, "HTTP_PORT=8081\nHTTPS_PORT=8443")).toEqual({ httpPort: 8080, httpsPort: 8443 });
});

test("ignores a key of the stack's configuration without a value, which Pulumi passes as null", () => {
  expect(read({ publicHost: "null", httpPort: "null" })).toEqual({});
});

test("ignores empty values", () => {
  expect(read({ httpPort: "", engineAccessKey: "" }, "HTTP_PORT=8081\nSERVICE_API_KEY=")).toEqual({ httpPort: 8081 });
});

test.each([
  ["DATABASE=external\nDATABASE_URL=pg://u:p@h/db", ["DATABASE_URL"]],
  ["MONITORING=stack\nALERT_EMAIL_TO=ops\nALERT_SMTP_HOST=smtp.example.net:25", ["ALERT_EMAIL_TO"]],
  ["MONITORING=Stack\nALERT_WEBHOOK_URL=https://hooks.example.net", ["MONITORING"]],
  ["HOST_ADDRESS=*\nPUBLIC_HOST=https://routes.example.net", ["PUBLIC_HOST"]],
])("reports no consequence of a wrong setting: %j", (content, names) => {
  expect(problems({}, content).map((problem) => problem.split(" ")[0])).toEqual(names);
});

test("all problems of both sources are listed at once", () => {
  const found = problems(
    { httpPort: "0", engineConsole: "yes", colour: "blue" },
    `ENGINE_ACESS_KEY=${key}\nHTTPS_PORT=many\nno assignment\nLOG_LEVEL=info\nLOG_LEVEL=warn\nTOKEN_LIFE_SECONDS=59`,
  );
  expect(found.toSorted()).toEqual(
    [
      "colour is not a setting (stack configuration)",
      "ENGINE_ACESS_KEY is not a setting; is ENGINE_ACCESS_KEY meant? (.env, line 1)",
      "line 3 is neither NAME=value nor a comment (.env)",
      "LOG_LEVEL is set twice (.env, line 5)",
      "httpPort must be a whole number from 1 to 65535, not 0 (stack configuration)",
      'engineConsole must be true or false, not "yes" (stack configuration)',
      'HTTPS_PORT must be a whole number, not "many" (.env, line 2)',
      "TOKEN_LIFE_SECONDS must be a whole number from 60 to 3600, not 59 (.env, line 6)",
    ].toSorted(),
  );
});

test("names the variable of a setting that was written by its own name", () => {
  expect(() => read({}, "NAMESPACE=routes\n")).toThrow("NAMESPACE is not a setting; write KUBERNETES_NAMESPACE");
});

test("reports an invalid value even if another source overrides it", () => {
  expect(problems({ httpPort: "8080" }, "HTTP_PORT=none")).toHaveLength(1);
});

test("rejects a weak secret without quoting it", () => {
  const weak = "myadminsecretkey";
  const [problem = "", ...others] = problems({ engineAccessKey: weak });
  expect(others).toEqual([]);
  expect(problem).toMatch(/^engineAccessKey /);
  expect(problem).not.toContain(weak);
});

test("rejects a secret that is used twice, without quoting it", () => {
  const found = problems({ engineAccessKey: key }, `SERVICE_API_KEY=${key}`);
  expect(found).toEqual([
    "serviceApiKey is the same as engineAccessKey; each needs a value of its own (together with another setting)",
  ]);
  expect(problems({ engineAccessKey: key }, `SERVICE_API_KEY=${otherKey}`)).toEqual([]);
});

test.each([
  [{ httpPort: "443" }, "httpsPort is the same port as httpPort: 443"],
  [
    { tlsCertificateFile: "certificate.pem" },
    "tlsPrivateKeyFile is missing, but tlsCertificateFile is set; give both or neither",
  ],
  [
    { tlsPrivateKeyFile: "key.pem" },
    "tlsCertificateFile is missing, but tlsPrivateKeyFile is set; give both or neither",
  ],
  [{ sessionIdleSeconds: "30000" }, "sessionIdleSeconds must not be more than sessionAbsoluteSeconds"],
  [
    { grafanaImage: "grafana/grafana:13.3.0" },
    "grafanaImage needs monitoring=stack, but monitoring is off; docs/operate/monitoring.md has the dashboard for your own Grafana",
  ],
  [
    { monitoring: "stack", grafanaImage: "grafana/grafana:13.3.0", grafanaPort: "9090" },
    "grafanaPort is the same port as prometheusPort: 9090",
  ],
  [{ feed: "exabgp" }, "feedExabgpAddress is missing, but feed is exabgp"],
  [{ feed: "ris-live", feedExabgpAddress: "192.0.2.1:5000" }, "feedExabgpAddress is set, but feed is ris-live"],
  [
    { feedVrpsAddress: "https://rpki.example.net/json" },
    "feedVrpsAddress is set, but feed is off; run npm run vrps each hour instead",
  ],
  [
    { feedConfiguration: "routing/examples/demo.yaml" },
    "feedConfiguration is set, but feed is off; run npm run detect instead",
  ],
])("rejects the contradiction in %j", (configuration: Record<string, string>, problem) => {
  expect(problems(configuration)).toEqual([`${problem} (together with another setting)`]);
});

test("every setting has its own environment name in capitals", () => {
  const names = settingNames.map((name) => settings[name].environment);
  expect(new Set(names).size).toBe(names.length);
  for (const name of names) expect(name).toMatch(/^[A-Z][A-Z0-9_]+$/);
});

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "routeql-settings-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

const sources = (configuration: Record<string, string>, variables: Record<string, string> = {}) =>
  settingsSources({ stack: "staging", project: "routeql", configuration, folder, variables });

test("reads only the project's section of the configuration", () => {
  expect(sources({ "routeql:httpPort": "80", "docker:host": "unix:///run/docker.sock" }).configuration).toEqual({
    httpPort: "80",
  });
});

test("without .env there is no environment file, and an empty name is ignored", () => {
  expect(sources({}).environmentFile).toBeUndefined();
  expect(sources({ "routeql:environmentFile": "" }, { ROUTEQL_ENVIRONMENT_FILE: "" }).environmentFile).toBeUndefined();
});

test(".env in the project's folder is read", () => {
  writeFileSync(join(folder, ".env"), "HTTP_PORT=80");
  expect(sources({}).environmentFile).toEqual({ name: ".env", content: "HTTP_PORT=80" });
});

test("the configuration's file overrides the variable's", () => {
  writeFileSync(join(folder, "one.env"), "HTTP_PORT=1");
  writeFileSync(join(folder, "two.env"), "HTTP_PORT=2");
  const variables = { ROUTEQL_ENVIRONMENT_FILE: join(folder, "two.env") };
  expect(sources({}, variables).environmentFile?.content).toBe("HTTP_PORT=2");
  const configured = sources({ "routeql:environmentFile": "one.env" }, variables);
  expect(configured.environmentFile).toEqual({ name: "one.env", content: "HTTP_PORT=1" });
  expect(configured.configuration).toEqual({});
});

test("a named file that is missing is an error", () => {
  expect(() => sources({ "routeql:environmentFile": "none.env" })).toThrow(SettingsError);
  expect(() => sources({ "routeql:environmentFile": "none.env" })).toThrow(
    /environmentFile cannot be read \(ENOENT\) \(none.env\)/,
  );
});

test(".env.<stack> takes the place of .env", () => {
  writeFileSync(join(folder, ".env"), "HTTP_PORT=80");
  writeFileSync(join(folder, ".env.prod"), "HTTP_PORT=81");
  const of = (stack: string) =>
    settingsSources({ stack, project: "routeql", configuration: {}, folder, variables: {} }).environmentFile?.content;
  expect([of("prod"), of("dev")]).toEqual(["HTTP_PORT=81", "HTTP_PORT=80"]);
});
