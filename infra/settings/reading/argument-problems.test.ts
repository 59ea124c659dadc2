import { isSecret, output, secret } from "@pulumi/pulumi";
import { expect, test } from "vitest";
import { SettingsError } from "./error.ts";
import { argumentNames, grouped, groups, ungrouped } from "../groups.ts";
import { type GivenInputs, settingNames } from "../list.ts";
import { argumentProblems, settingsOf } from "./argument-problems.ts";

const found = (given: Record<string, unknown>): string[] =>
  argumentProblems(given, "prod").map(({ name, problem }) => `${name} ${problem}`);

test("accepts no arguments", () => expect(found({})).toEqual([]));

test("ignores undefined arguments", () =>
  expect(found({ gateway: { httpPort: undefined }, engine: undefined })).toEqual([]));

test("all problems are listed at once", () => {
  expect(found({ gateway: { httpPort: "80", hostAddress: "here" }, color: 1 })).toEqual([
    "color is not a setting",
    "gateway.httpPort must be a number, not a string",
    'gateway.hostAddress must be * or IP addresses, separated by commas, not "here"',
  ]);
});

test("suggests a similar name and accepts values known only during the deployment", () => {
  expect(
    found({
      gateway: { publicHots: "routes.example.net", httpPort: output(0) },
      authSidecar: { adminEmail: Promise.resolve("a@example.net") },
      engine: { kind: ["hasura"] },
    }),
  ).toEqual([
    "gateway.publicHots is not a setting; is gateway.publicHost meant?",
    "engine.kind must be a string, not an object",
  ]);
});

test("names the group of an argument outside of it", () => {
  expect(found({ publicHost: "routes.example.net", engine: "hasura", database: output({ kind: "single" }) })).toEqual([
    "publicHost is now gateway.publicHost",
    "engine must be an object with the arguments of the group",
    "database must be an object with the arguments of the group",
  ]);
});

test("every setting has an argument of its own, which its group contains", () => {
  expect(new Set(argumentNames).size).toBe(settingNames.length);
  const given = Object.fromEntries(settingNames.map((name) => [name, name])) as unknown as GivenInputs;
  expect(ungrouped({ ...grouped(given) })).toEqual({ given, unknown: [] });
  expect(Object.keys(grouped(given))).toEqual(expect.arrayContaining([...groups]));
  expect(
    grouped({ httpsPort: 8443, database: "external", ldapUrl: "ldaps://ldap.example.net", target: "docker" }),
  ).toEqual({
    gateway: { httpsPort: 8443 },
    database: { kind: "external" },
    directory: { url: "ldaps://ldap.example.net" },
    target: "docker",
  });
});

test("rejects outputs that would decide which resources exist", () => {
  expect(found({ monitoring: { kind: output("stack") } })).toEqual([
    "monitoring.kind decides which resources exist, so it must be a value known before the deployment, not an output",
  ]);
});

test("a file is PEM text or an absolute path", () => {
  expect(found({ directory: { url: "ldaps://ldap.example.net", userBase: "dc=example", caFile: "/ca.pem" } })).toEqual(
    [],
  );
  expect(found({ directory: { caFile: "ca.pem" } })).toEqual([
    "directory.caFile must be an absolute path, or the text in PEM form",
  ]);
});

test("rejects contradictory arguments", () => {
  expect(found({ gateway: { httpsPort: 8443, consolePort: 8443 } })).toEqual([
    "gateway.consolePort is the same port as gateway.httpsPort: 8443",
  ]);
});

/** The message with which outputs fail. Pulumi's outputs also reject promises that only its engine handles. */
async function rejection(of: () => unknown): Promise<string> {
  const listeners = process.listeners("unhandledRejection");
  process.removeAllListeners("unhandledRejection");
  try {
    return await new Promise((resolve) => {
      process.on("unhandledRejection", (error: Error) => resolve(error.message));
      of();
    });
  } finally {
    await new Promise(setImmediate);
    process.removeAllListeners("unhandledRejection");
    for (const listener of listeners) process.on("unhandledRejection", listener);
  }
}

test("checks outputs together as soon as all are known, with the messages of known values", async () => {
  const given = { publicHost: "no host", httpsPort: 0 };
  let atOnce = "";
  try {
    settingsOf({ gateway: given }, "dev");
  } catch (error) {
    atOnce = (error as Error).message;
  }
  expect(atOnce).toMatch(/^2 settings are wrong:\n {2}gateway\.publicHost must be a host name/);
  const late = { publicHost: output(given.publicHost), httpsPort: output(given.httpsPort) };
  expect(await rejection(() => settingsOf({ gateway: late }, "dev"))).toBe(atOnce);
});

test("the message stays the same when Pulumi adds the names of waiting properties", () => {
  const error = new SettingsError([{ name: "httpsPort", place: "argument", problem: "is wrong" }]);
  error.message = `error serializing property "ports": ${error.message}`;
  expect(error.message).toBe("A setting is wrong:\n  httpsPort is wrong (argument)");
});

test("checks outputs together with known values", async () => {
  expect(
    await rejection(() => settingsOf({ gateway: { httpsPort: output(8443), consolePort: 8443 } }, "dev")),
  ).toContain("gateway.consolePort is the same port as gateway.httpsPort: 8443");
});

test("checks secrets that are outputs, without quoting them", async () => {
  const message = await rejection(() => settingsOf({ engine: { accessKey: secret("a-short-key") } }, "dev"));
  expect(message).toMatch(/engine\.accessKey must have at least 32/);
  expect(message).not.toContain("a-short-key");
});

test("an output that is a secret makes no other one secret", async () => {
  const { settings } = settingsOf(
    { tls: { caFile: secret("-----BEGIN CERTIFICATE-----") }, gateway: { publicHost: output("routes.example.net") } },
    "dev",
  );
  expect(await isSecret(output(settings.tlsCaFile))).toBe(true);
  expect(await isSecret(output(settings.publicHost))).toBe(false);
});

test("an error prints each problem of a list in a line of its own", () => {
  const problem = "is invalid:\na.yaml:1: unknown key\nb.yaml:2: unknown key";
  expect(new SettingsError([{ name: "metadata", place: "METADATA, line 3 of .env", problem }]).message).toBe(
    "A setting is wrong:\n  metadata is invalid (METADATA, line 3 of .env):\n    a.yaml:1: unknown key\n    b.yaml:2: unknown key",
  );
});
