/**
 * The disk of the logs is full. Docker reads the services' output and discards lines that it cannot store, so a service does not notice
 * a full disk of its engine. Here each service writes to its own disk, where every write fails with "no space left on device".
 */
import { setTimeout as sleep } from "node:timers/promises";
import type { GenericContainer, StartedTestContainer } from "testcontainers";
import { Wait } from "testcontainers";
import { afterAll, beforeAll, expect, test } from "vitest";
import { paths } from "@routeql/contract/paths";
import { GatewayContainer, roomySettings, type StartedGateway } from "../gateway/support/gateway-container.ts";
import { request } from "../gateway/support/request.ts";
import { AuthSidecarContainer } from "../harness/containers/auth-sidecar-container.ts";
import { makeCertificate } from "../harness/certificate.ts";
import { DatabaseContainer } from "../harness/containers/database-container.ts";
import { EngineContainer } from "../harness/containers/engine-container.ts";
import { image } from "../harness/containers/image.ts";
import { mustRun, run } from "../harness/process.ts";
import { SessionsContainer } from "../harness/containers/sessions-container.ts";
import { TestNetwork } from "../harness/docker/test-network.ts";
import { countFault } from "./support/figures.ts";
import type { StartedServiceContainer } from "../harness/containers/service-container.ts";

const log = "/log/lines";

/** The image's own command, with its output on a disk of 1 MiB. */
function onSmallLogDisk<Kind extends GenericContainer>(container: Kind, command: string): Kind {
  container
    .withEntrypoint(["/bin/sh", "-c", `exec ${command} >>${log} 2>&1`])
    .withCommand([])
    .withTmpFs({ "/tmp": "", "/log": "size=1m,mode=1777" });
  return container;
}

const network = await TestNetwork.create();
const parts: StartedTestContainer[] = [];
let sidecar: StartedServiceContainer;
let gateway: StartedGateway;

beforeAll(async () => {
  const started = async <Started extends StartedTestContainer>(starting: Promise<Started>): Promise<Started> => {
    const part = await starting;
    parts.push(part);
    return part;
  };
  // Each logs a line per request.
  const [database, sessions] = await Promise.all([
    started(
      onSmallLogDisk(new DatabaseContainer(await image("database")), "entrypoint postgres -c log_statement=all")
        .withNetworkMode(network.name)
        .start(),
    ),
    started(
      onSmallLogDisk(new SessionsContainer(await image("sessions")), "entrypoint --loglevel debug")
        .withNetworkMode(network.name)
        .withWaitStrategy(Wait.forListeningPorts())
        .start(),
    ),
  ]);
  sidecar = await started(
    onSmallLogDisk(new AuthSidecarContainer(await image("auth-sidecar")), "node auth-sidecar/src/main.ts")
      .withEnvironment({ LOG_LEVEL: "debug" })
      .withNetworkMode(network.name)
      .withDatabase(database)
      .withSessions(sessions)
      .start(),
  );
  await started(
    onSmallLogDisk(new EngineContainer(await image("engine")), "node engine/src/main.ts")
      .withEnvironment({ HASURA_GRAPHQL_LOG_LEVEL: "debug" })
      .withNetworkMode(network.name)
      .withDatabase(database)
      .withJwtSecret({ jwk_url: "http://auth-sidecar:8080/jwks", issuer: "routeql", audience: "routeql" })
      .start(),
  );
  gateway = await started(
    onSmallLogDisk(
      new GatewayContainer(await image("gateway"), await makeCertificate()),
      "sh /run/routeql/nginx/start.sh",
    )
      .withNetworkMode(network.name)
      .withSettings(roomySettings)
      .start(),
  );
});

afterAll(async () => {
  for (const part of parts.toReversed()) await part.stop();
  await network[Symbol.asyncDispose]();
});

const inside = (part: StartedTestContainer, script: string): Promise<string> =>
  mustRun("docker", ["exec", part.getId(), "sh", "-c", script]);
const lengthOfLog = async (part: StartedTestContainer): Promise<number> => Number(await inside(part, `wc -c <${log}`));

/** A login by the session flow, its token and a query; returns a description of any failure. */
async function served(): Promise<string> {
  const headers = { "content-type": "application/json", "x-service-api-key": sidecar.getSecret("SERVICE_API_KEY") };
  const login = await request(gateway, paths.loginCredentials, {
    method: "POST",
    headers,
    body: JSON.stringify({ email: "admin@example.net", password: sidecar.getSecret("ADMIN_PASSWORD") }),
  });
  if (login.status !== 200) return `login ${login.status}`;
  const { sessionId } = (JSON.parse(login.body.toString()) as { user: { sessionId: string } }).user;
  const token = await request(gateway, paths.token, { headers: { ...headers, cookie: `sid=${sessionId}` } });
  if (token.status !== 200) return `token ${token.status}`;
  const { access_token: accessToken } = JSON.parse(token.body.toString()) as { access_token: string };
  const answer = await request(gateway, paths.graphql, {
    method: "POST",
    headers: { "content-type": "application/json", authorization: `Bearer ${accessToken}` },
    body: '{"query":"{ view_hijacks(limit: 1) { key } }"}',
  });
  return answer.body.toString() === '{"data":{"view_hijacks":[]}}'
    ? "served"
    : `query ${answer.status} ${answer.body.toString().slice(0, 200)}`;
}

test(
  "the disk under the logs is full: every service keeps serving and logs again later",
  { timeout: 180_000 },
  async () => {
    expect(await served()).toBe("served");
    for (const part of parts) expect(await lengthOfLog(part)).toBeGreaterThan(0);

    await Promise.all(parts.map((part) => inside(part, "cat /dev/zero >/log/filler 2>/dev/null || true")));
    for (const part of parts)
      expect(
        (await run("docker", ["exec", part.getId(), "sh", "-c", "echo more >>/log/filler"])).code,
        "a write to the full disk",
      ).not.toBe(0);
    const outcomes: string[] = [];
    const started = performance.now();
    while (performance.now() - started < 4000) {
      outcomes.push(await served());
      await sleep(50);
    }
    expect(outcomes.filter((outcome) => outcome !== "served")).toEqual([]);
    for (const part of parts) {
      expect(
        await mustRun("docker", ["inspect", "--format", "{{.Config.Image}} runs: {{.State.Running}}", part.getId()]),
      ).toMatch(/runs: true/);
    }

    await Promise.all(parts.map((part) => inside(part, "rm /log/filler")));
    const before = await Promise.all(parts.map(lengthOfLog));
    // nginx pauses writing to a log for a second after a write to a full disk.
    const saysMore = async (): Promise<boolean[]> => {
      expect(await served()).toBe("served");
      return (await Promise.all(parts.map(lengthOfLog))).map((length, index) => length > before[index]!);
    };
    await expect.poll(saysMore, { timeout: 30_000, interval: 500 }).toEqual(parts.map(() => true));
    countFault({ requests: outcomes.length * 3, wrong: 0, lost: 0, recovered: 0, longest: 0 });
  },
);
