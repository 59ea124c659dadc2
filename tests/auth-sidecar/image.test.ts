import { afterAll, beforeAll, expect, test } from "vitest";
import { AuthSidecarContainer } from "../harness/containers/auth-sidecar-container.ts";
import { DatabaseContainer, type StartedDatabaseContainer } from "../harness/containers/database-container.ts";
import { image } from "../harness/containers/image.ts";
import { SessionsContainer, type StartedSessionsContainer } from "../harness/containers/sessions-container.ts";
import { TestNetwork } from "../harness/docker/test-network.ts";
import { Client } from "./client.ts";
import type { StartedServiceContainer } from "../harness/containers/service-container.ts";

let network: TestNetwork;
let database: StartedDatabaseContainer;
let sessions: StartedSessionsContainer;
let sidecar: StartedServiceContainer;
let client: Client;

beforeAll(async () => {
  network = await TestNetwork.create();
  [database, sessions] = await Promise.all([
    new DatabaseContainer(await image("database")).withNetworkMode(network.name).start(),
    new SessionsContainer(await image("sessions")).withNetworkMode(network.name).start(),
  ]);
  sidecar = await new AuthSidecarContainer(await image("auth-sidecar"))
    .withNetworkMode(network.name)
    .withDatabase(database)
    .withSessions(sessions)
    .withSecurityOpt("no-new-privileges")
    .withDroppedCapabilities("ALL")
    .withResourcesQuota({ memory: 0.25 })
    .start();
  client = new Client(sidecar.getUrl(), sidecar.getSecret("SERVICE_API_KEY"));
});

afterAll(async () => {
  await Promise.all([sidecar.stop(), database.stop(), sessions.stop()]);
  await network[Symbol.asyncDispose]();
});

test("ASVS 13.4.5: metrics are served only on their own port", async () => {
  expect((await fetch(sidecar.getMetricsUrl())).status).toBe(200);
  expect((await client.call("GET", "/metrics")).status).toBe(404);
});

test("answers a storm of logins within 256 MiB", async () => {
  const storm = Array.from({ length: 200 }, () =>
    client.singleStep("admin@example.net", sidecar.getSecret("ADMIN_PASSWORD")),
  );
  const statuses = (await Promise.all(storm)).map(({ status }) => status);
  expect(statuses.filter((status) => status !== 200 && status !== 429)).toEqual([]);
  expect(statuses).toContain(200);
  expect(statuses).toContain(429);
  expect((await client.call("GET", "/livez")).status).toBe(200);
});
