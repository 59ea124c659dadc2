import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Agent, fetch } from "undici";
import { afterAll, beforeAll, expect, test } from "vitest";
import { readConfiguration } from "@routeql/cli/stack/configuration";
import { renderStack } from "@routeql/infra/rendering/render-stack";
import { makeCertificate } from "../harness/certificate.ts";
import { node } from "./support/node.ts";
import { stackSettings } from "./support/stack.ts";

/** A stack of manifests beside the suite's stack, which has the same images. */
const name = "manifests";
const namespace = `routeql-${name}`;
const settings = {
  ...stackSettings(node),
  httpPort: "30081",
  httpsPort: "30444",
  consolePort: "32001",
  ...Object.fromEntries(
    ["gateway", "engine", "sidecar"].flatMap((one) =>
      [`${one}Replicas`, `${one}ReplicasMost`].map((key) => [key, "1"]),
    ),
  ),
};
const certificate = await makeCertificate("ecdsa", node.address);

let folder = "";
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "routeql-manifests-"));
});
afterAll(async () => {
  await node.kubectl(["delete", "namespace", namespace, "--ignore-not-found", "--wait=false"]);
  await rm(folder, { recursive: true });
});

/** Renders the stack and applies the folder; returns kubectl's lines. */
async function apply(more: Readonly<Record<string, string>> = {}): Promise<string[]> {
  const { given } = await readConfiguration(name, { ...settings, ...more });
  const { files } = await renderStack(name, given);
  for (const [path, content] of files) await writeFile(join(folder, path), content);
  return (await node.kubectl(["apply", `--kustomize=${folder}`])).trim().split("\n");
}

async function complete(): Promise<void> {
  const scope = [`--namespace=${namespace}`, "--timeout=240s"];
  await node.kubectl(["wait", "job", "--all", "--for=condition=Complete", ...scope]);
  for (const service of ["auth-sidecar", "engine", "gateway"])
    await node.kubectl(["rollout", "status", `deployment/${service}`, ...scope]);
}

async function secretOf(key: string): Promise<string> {
  const { data } = await node.get<{ data: Record<string, string> }>(
    "secret",
    "generated-secrets",
    `--namespace=${namespace}`,
  );
  return Buffer.from(data[key]!, "base64").toString();
}

async function logIn(): Promise<number> {
  const dispatcher = new Agent({ connect: { ca: certificate.certificate } });
  const { status } = await fetch(`https://${node.address}:30444/api/auth/login/credentials`, {
    method: "POST",
    dispatcher,
    headers: { "content-type": "application/json", "x-service-api-key": await secretOf("service-api-key") },
    body: JSON.stringify({ email: "admin@example.net", password: await secretOf("admin-password") }),
  });
  return status;
}

test(
  "kubectl apply of the rendered folder brings a stack up without any value made by hand",
  { timeout: 600_000 },
  async () => {
    const pair = [
      ["tls.crt", certificate.certificate],
      ["tls.key", certificate.privateKey],
    ] as const;
    await node.kubectl(["create", "namespace", namespace]);
    for (const [file, content] of pair) await writeFile(join(folder, file), content);
    await node.kubectl([
      "create",
      "secret",
      "tls",
      "gateway-certificate",
      `--namespace=${namespace}`,
      `--cert=${join(folder, "tls.crt")}`,
      `--key=${join(folder, "tls.key")}`,
    ]);
    await apply();
    await complete();
    expect(await logIn()).toBe(200);
  },
);

/** kubectl's lines about changes. It always sends a budget, whose selector has the patch strategy "replace". */
const changes = (lines: readonly string[]): string[] =>
  lines.filter((line) => !line.endsWith(" unchanged") && !line.startsWith("poddisruptionbudget"));

test("a second apply changes nothing", { timeout: 120_000 }, async () => {
  const lines = await apply();
  expect(lines.length).toBeGreaterThan(20);
  expect(changes(lines)).toEqual([]);
});

test("one changed setting changes its service only, and the passwords stay", { timeout: 400_000 }, async () => {
  const before = await secretOf("admin-password");
  expect(changes(await apply({ loginAttemptsPerAccount: "7" }))).toEqual(["deployment.apps/auth-sidecar configured"]);
  await complete();
  expect(await secretOf("admin-password")).toBe(before);
  expect(await logIn()).toBe(200);
});
