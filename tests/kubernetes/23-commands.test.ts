import { mkdtempDisposableSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { missingRequirements } from "@routeql/cli/kubernetes/objects/missing-requirements";
import { readConfiguration } from "@routeql/cli/configuration/configuration";
import { ApiClient, defaultConfig } from "@routeql/host/kubernetes/client";
import { stackPaths } from "@routeql/host/paths";
import { run } from "../harness/process.ts";
import { command } from "../e2e/support/commands.ts";
import { administrator, login } from "../e2e/support/clients/sessions.ts";
import { main, npmRun } from "./support/npm-run.ts";
import { node } from "./support/node.ts";
import { actWithRights } from "./support/rights.ts";
import { namespace, stackName, stackSettings, up } from "./support/stack.ts";

test("npm run psql runs a statement, or its input, in the database's pod", async () => {
  expect(await command("psql", "-Atc", "select current_user")).toBe("routeql_owner\n");
  const fromInput = await npmRun("psql", ["-At", "--role", "loader"], "select 6 * 7;\nselect current_user;\n");
  expect(fromInput).toMatchObject({ code: 0, stdout: "42\nrouteql_loader\n" });
  const wrong = await npmRun("psql", ["-v", "ON_ERROR_STOP=1", "-c", "select nothing"]);
  expect(wrong.code).toBe(1);
  expect(wrong.stderr).toContain('column "nothing" does not exist');
});

test("npm run logs shows the logs of each pod and rejects unknown services", async () => {
  expect((await login(administrator)).status).toBe(200);
  const lines = (await command("logs", "--tail", "3")).trim().split("\n");
  // Pulumi names jobs after their resource: routeql-migrate-….
  const pods = new Set(lines.map((line) => line.replace(/^routeql-/, "").replace(/[- ].*/, "")));
  for (const service of ["auth", "database", "gateway", "migrate", "sessions"])
    expect(pods, lines.join("\n")).toContain(service);
  const unknown = await npmRun("logs", ["nothing"]);
  expect(unknown.code).toBe(1);
  expect(unknown.stderr).toContain("There is no service nothing");
});

test("npm run keys works in a pod of the auth sidecar", async () => {
  const { code, stdout } = await npmRun("keys", ["list"]);
  expect(code).toBe(0);
  expect(stdout).toMatch(/signing|active|ES256/i);
});

test("the rights of commands.yaml suffice for commands, and not for an update", { timeout: 600_000 }, async () => {
  await using _ = await actWithRights("commands.yaml", namespace);
  using folder = mkdtempDisposableSync(join(tmpdir(), "routeql-commands-"));
  const succeeds = async (name: string, ...args: string[]): Promise<string> => {
    const { code, stdout, stderr } = await npmRun(name, args, undefined, 240_000);
    expect(code, `${name}: ${stdout}${stderr}`).toBe(0);
    expect(`${stdout}${stderr}`, name).not.toMatch(/forbidden/i);
    return stdout;
  };
  await succeeds("status");
  await succeeds("logs", "--tail", "3");
  await succeeds("psql", "-Atc", "select 1");
  await succeeds("keys", "list");
  await succeeds("users", "list");
  await succeeds("schema", "--role", "operator");
  await succeeds("prune", "--keep-days", "20000");
  await succeeds("support", "--to", join(folder.path, "support.tar.gz"));
  const file = join(folder.path, "all.dump");
  await succeeds("backup", "--to", file);
  await succeeds("restore", "--replace", file);
  await expect(up(node, undefined, { requestBurst: "1001" })).rejects.toThrow(/forbidden/);
});

test("without a reachable cluster a command fails at once with a remedy", async () => {
  const folder = await mkdtemp(join(tmpdir(), "routeql-kubernetes-"));
  try {
    const file = join(folder, "environment");
    await writeFile(file, "TARGET=kubernetes\nENGINE=embedded\nPUBLIC_HOST=routes.example.net\n");
    const { code, stderr } = await run(process.execPath, [...main, "preview", "--stack", `${stackName}-nowhere`], {
      timeout: 120_000,
      env: { ...process.env, ROUTEQL_ENVIRONMENT_FILE: file, KUBECONFIG: join(folder, "kubeconfig") },
    });
    expect(code).toBe(1);
    expect(stderr).toContain("No Kubernetes cluster answers");
    expect(stderr).toContain("set KUBECONFIG");
  } finally {
    await rm(folder, { recursive: true });
    await rm(stackPaths(`${stackName}-nowhere`).folder, { recursive: true, force: true });
  }
});

test("a stack on a cluster cannot also be started on Docker", async () => {
  const { code, stderr } = await npmRun("preview", []);
  expect(code).toBe(1);
  expect(stderr).toContain("runs on Kubernetes");
});

test("the kubelet limits processes, so the preview names only the unknown network plugin", async () => {
  const { plain } = await readConfiguration(stackName, stackSettings(node));
  const lacks = await missingRequirements(new ApiClient(defaultConfig()), plain, AbortSignal.timeout(60_000));
  // The node enforces policies with its own program.
  expect(lacks).toEqual([expect.stringContaining("no network plugin that is known to enforce NetworkPolicies")]);
});
