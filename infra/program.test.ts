import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { isSecret, log, runtime } from "@pulumi/pulumi";
import type { Output } from "@pulumi/pulumi";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { program, toArguments } from "./program.ts";
import type { StackOutputs } from "./program.ts";
import { release } from "./release.ts";
import { checked } from "./settings/reading/problems.ts";
import { recordStack } from "./testing/recorded-stack.ts";

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "routeql-program-"));
});
afterEach(() => {
  runtime.setAllConfig({});
  rmSync(folder, { recursive: true });
});

const value = <Value>(output: Output<Value>): Promise<Value> => new Promise((resolve) => void output.apply(resolve));

async function run(configuration: Record<string, string>, environmentFile: string): Promise<StackOutputs> {
  vi.stubEnv("ROUTEQL_ENVIRONMENT_FILE", join(folder, "test.env"));
  writeFileSync(join(folder, "test.env"), environmentFile);
  let outputs: StackOutputs | undefined;
  await recordStack(async () => {
    runtime.setAllConfig(configuration);
    outputs = await program();
  });
  if (outputs === undefined) throw new Error("The program gave no outputs.");
  return outputs;
}

test("prefers stack configuration to the environment file, and that to the defaults", async () => {
  const outputs = await run({ "routeql:httpsPort": "8443" }, "HTTPS_PORT=9443\nPUBLIC_HOST=routes.example.net");
  expect(await value(outputs.url)).toBe("https://routes.example.net:8443");
  expect(outputs.consoleUrl && (await value(outputs.consoleUrl))).toBe("https://routes.example.net:32000/");
});

test("a disabled console has no output", async () => {
  expect(await run({}, "ENGINE_CONSOLE=false")).not.toHaveProperty("consoleUrl");
});

test("a secret of the environment file becomes a Pulumi secret", async () => {
  const key = randomBytes(20).toString("hex");
  const { serviceApiKey } = await run({}, `SERVICE_API_KEY=${key}`);
  expect(await value(serviceApiKey)).toBe(key);
  expect(await isSecret(serviceApiKey)).toBe(true);
});

test("warns of a secret in plain text, and not of the empty values in Pulumi.yaml", async () => {
  vi.stubEnv("PULUMI_CONFIG_SECRET_KEYS", "[]");
  const warn = vi.spyOn(log, "warn");
  await run({ "routeql:adminPassword": "", "routeql:serviceApiKey": randomBytes(20).toString("hex") }, "");
  const texts = warn.mock.calls.map(([text]) => text).filter((text) => text.includes("plain text"));
  expect(texts).toEqual([expect.stringMatching(/ in plain text: serviceApiKey\./)]);
  vi.unstubAllEnvs();
});

test("takes the settings of its caller and reads none", async () => {
  vi.stubEnv("ROUTEQL_ENVIRONMENT_FILE", join(folder, "absent.env"));
  const given = { publicHost: "routes.example.net", httpsPort: 8443 };
  let outputs: StackOutputs | undefined;
  await recordStack(async () => {
    runtime.setAllConfig({ "routeql:httpsPort": "0" });
    outputs = await program({ settings: checked(given, "local") });
  });
  expect(outputs && (await value(outputs.url))).toBe("https://routes.example.net:8443");
});

test("refuses a renamed stack, whose volumes have the former name", async () => {
  const { release: recorded } = await run({}, "");
  expect(recorded).toEqual({ ...release, stack: "local" });
  const before = { outputs: { release: { ...release, stack: "former" } } };
  const state = vi.spyOn(runtime, "invoke").mockResolvedValue(before);
  await expect(run({}, "")).rejects.toThrow(
    /The stack local was deployed with the name former,.*Nothing was changed\. What to do:.*pulumi stack rename former/,
  );
  state.mockRestore();
});

test("reports all invalid settings at once, without their secrets", async () => {
  const failed = run({ "routeql:htpPort": "80" }, "SERVICE_API_KEY=short-secret-value\nHTTPS_PORT=0");
  await expect(failed).rejects.toThrow(/3 settings are wrong:[\s\S]*htpPort[\s\S]*SERVICE_API_KEY[\s\S]*HTTPS_PORT/);
  await expect(failed).rejects.not.toThrow(/short-secret-value/);
});

test("relative file paths start from the project's folder", () => {
  const { tls } = toArguments({ tlsCertificateFile: "certificate.pem" });
  expect(tls?.certificateFile).toBe(resolve(import.meta.dirname, "..", "certificate.pem"));
});
