import { isSecret, output, secret } from "@pulumi/pulumi";
import { expect, test } from "vitest";
import { SettingsError } from "./error.ts";
import { argumentProblems, settingsOf } from "./argument-problems.ts";

const found = (given: Record<string, unknown>): string[] =>
  argumentProblems(given, "prod").map(({ name, problem }) => `${name} ${problem}`);

test("accepts no arguments", () => expect(found({})).toEqual([]));

test("ignores undefined arguments", () => expect(found({ httpPort: undefined })).toEqual([]));

test("all problems are listed at once", () => {
  expect(found({ httpPort: "80", hostAddress: "here", color: 1 })).toEqual([
    "httpPort must be a number, not a string",
    'hostAddress must be an IPv4 or IPv6 address, not "here"',
    "color is not a setting",
  ]);
});

test("suggests a similar name and accepts values known only during the deployment", () => {
  expect(
    found({
      publicHots: "routes.example.net",
      httpPort: output(0),
      adminEmail: Promise.resolve("a@example.net"),
      engine: ["hasura"],
    }),
  ).toEqual(["publicHots is not a setting; is publicHost meant?", "engine must be a string, not an object"]);
});

test("rejects outputs that would decide which resources exist", () => {
  expect(found({ monitoring: output("stack") })).toEqual([
    "monitoring decides which resources exist, so it must be a value known before the deployment, not an output",
  ]);
});

test("a file is PEM text or an absolute path", () => {
  expect(found({ ldapUrl: "ldaps://ldap.example.net", ldapUserBase: "dc=example", ldapCaFile: "/ca.pem" })).toEqual([]);
  expect(found({ ldapCaFile: "ca.pem" })).toEqual(["ldapCaFile must be an absolute path, or the text in PEM form"]);
});

test("rejects contradictory arguments", () => {
  expect(found({ httpsPort: 8443, consolePort: 8443 })).toEqual(["consolePort is the same port as httpsPort: 8443"]);
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
    settingsOf(given, "dev");
  } catch (error) {
    atOnce = (error as Error).message;
  }
  expect(atOnce).toMatch(/^2 settings are wrong:\n {2}publicHost must be a host name/);
  const late = { publicHost: output(given.publicHost), httpsPort: output(given.httpsPort) };
  expect(await rejection(() => settingsOf(late, "dev"))).toBe(atOnce);
});

test("the message stays the same when Pulumi adds the names of waiting properties", () => {
  const error = new SettingsError([{ name: "httpsPort", place: "argument", problem: "is wrong" }]);
  error.message = `error serializing property "ports": ${error.message}`;
  expect(error.message).toBe("A setting is wrong:\n  httpsPort is wrong (argument)");
});

test("checks outputs together with known values", async () => {
  expect(await rejection(() => settingsOf({ httpsPort: output(8443), consolePort: 8443 }, "dev"))).toContain(
    "consolePort is the same port as httpsPort: 8443",
  );
});

test("an output that is a secret makes no other one secret", async () => {
  const { tlsCaFile, publicHost } = settingsOf(
    { tlsCaFile: secret("-----BEGIN CERTIFICATE-----"), publicHost: output("routes.example.net") },
    "dev",
  );
  expect(await isSecret(output(tlsCaFile))).toBe(true);
  expect(await isSecret(output(publicHost))).toBe(false);
});
