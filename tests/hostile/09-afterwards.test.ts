import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { hasFront } from "../e2e/support/stack/engine-of-the-run.ts";
import { containerOf, containers } from "../e2e/support/stack/docker.ts";
import { administrator, session, tokenOfSession } from "../e2e/support/clients/sessions.ts";
import { stack } from "../e2e/support/stack/stack.ts";
import { mustRun, run } from "../harness/process.ts";
import { shareBetween, usagesOf } from "./search/measure.ts";

/** Every service of the stack, by container name. */
async function services(): Promise<string[]> {
  const names = (await containers("service")).map(({ name }) => name);
  expect(names).toHaveLength(hasFront ? 7 : 6);
  return names;
}

const logOf = async (container: string): Promise<string> => {
  const { stdout, stderr } = await run("docker", ["logs", container]);
  return stdout + stderr;
};

test("no service has crashed or been killed for its memory", async () => {
  for (const name of await services()) {
    const state = JSON.parse(
      await mustRun("docker", ["inspect", "--format", "[{{json .State}},{{.RestartCount}}]", name]),
    ) as [{ Running: boolean; OOMKilled: boolean }, number];
    expect({ name, running: state[0].Running, outOfMemory: state[0].OOMKilled, restarts: state[1] }).toEqual({
      name,
      running: true,
      outOfMemory: false,
      restarts: 0,
    });
  }
});

test("ASVS 16.2.5: no log of any service contains a key, a password, a session or a token", async () => {
  const { sessionId } = await session(administrator);
  const token = await tokenOfSession(sessionId);
  const secrets = [stack.engineAccessKey, stack.serviceApiKey, stack.adminPassword, sessionId, token];
  for (const name of await services()) {
    const log = await logOf(name);
    for (const [index, secret] of secrets.entries())
      expect(log.includes(secret), `${name}, secret ${index}`).toBe(false);
    // The form of any client's token.
    expect(log, name).not.toMatch(/eyJ[\w-]{20,}\.eyJ[\w-]{20,}\.[\w-]{20,}/);
  }
});

test("no attack caused an error line or an unexpected 5xx", async () => {
  // Hasura logs each rejected request as an error.
  for (const service of ["auth-sidecar", hasFront ? "front" : "engine"]) {
    const lines = (await logOf(containerOf(service)))
      .split("\n")
      .filter((line) => /"level":"(error|fatal)"/.test(line));
    expect(lines, service).toEqual([]);
  }
  const failures = (await logOf(containerOf("gateway")))
    .split("\n")
    .filter((line) => line.startsWith("{"))
    .map((line) => JSON.parse(line) as { status: number; path: string })
    .filter(({ status, path }) => status >= 500 && path !== "/api/auth/login/ldap");
  expect(failures).toEqual([]);
});

test("no attack left work behind, such as a subscription", { timeout: 90_000 }, async () => {
  const busy = async (): Promise<string[]> => {
    const before = await usagesOf(["engine", "database"]);
    await sleep(5_000);
    const after = await usagesOf(["engine", "database"]);
    return (["engine", "database"] as const).filter((service) => shareBetween(before[service], after[service]) > 0.05);
  };
  await expect.poll(busy, { timeout: 60_000, interval: 0 }).toEqual([]);
});
