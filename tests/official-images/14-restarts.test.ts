import { beforeAll, describe, expect, test } from "vitest";
import { Member } from "../e2e/support/clients/accounts.ts";
import { loadDemo } from "../e2e/support/data/data.ts";
import { containerOf } from "../e2e/support/stack/docker.ts";
import { data } from "../e2e/support/clients/graphql.ts";
import { call } from "../e2e/support/clients/http.ts";
import { login } from "../e2e/support/clients/sessions.ts";
import { mustRun } from "../harness/process.ts";

const services = ["database", "sessions", "auth-sidecar", "engine", "front", "gateway"] as const;

describe.each(services)("the container of %s", (service) => {
  let analyst: Member;

  beforeAll(async () => {
    await loadDemo();
    analyst = await Member.join("analyst");
  });

  /** What a client sees: a new login, and a query with a token of the session from before. */
  async function seen(): Promise<unknown> {
    try {
      const { status } = await login(analyst.account);
      const answer = await data<{ view_bgpupdates: unknown[] }>(
        "{ view_bgpupdates(limit: 1) { prefix } }",
        await analyst.caller(),
      );
      return { status, rows: answer.view_bgpupdates.length };
    } catch (error) {
      return (error as Error).message;
    }
  }

  async function expectWorking(): Promise<void> {
    const status = async (): Promise<number> => (await call("/healthz").catch(() => ({ status: 0 }))).status;
    await expect.poll(status, { timeout: 60_000, interval: 500 }).toBe(200);
    await expect.poll(seen, { timeout: 30_000, interval: 500 }).toEqual({ status: 200, rows: 1 });
  }

  test("works after a kill and a start", async () => {
    await expectWorking();
    await mustRun("docker", ["kill", containerOf(service)]);
    await mustRun("docker", ["start", containerOf(service)]);
    await expectWorking();
  });

  test("ends by itself on its stop signal, and works after a restart", async () => {
    await expectWorking();
    const container = containerOf(service);
    await mustRun("docker", ["stop", container]);
    // 137 would be SIGKILL after the grace period.
    expect(["0", "143"]).toContain(
      (await mustRun("docker", ["inspect", "--format", "{{.State.ExitCode}}", container])).trim(),
    );
    await mustRun("docker", ["start", container]);
    await expectWorking();
  });
});
