import { stackPaths } from "@routeql/host/paths";
import { readFileSync } from "node:fs";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Agent, request } from "undici";
import { afterAll, beforeAll, expect, test } from "vitest";
import { parse } from "yaml";
import { sections } from "@routeql/infra/monitoring/panels";
import { OtlpReceiver } from "@routeql/tracing/testing/otlp-receiver";
import { AlertReceivers } from "./support/alert-receivers.ts";
import { describeStack } from "../e2e/support/stack/describe-stack.ts";
import { bringUpOwn, containersOf, takeDownOwn, updateOwn } from "../e2e/support/stack/own-stack.ts";
import { FilesVolume } from "../harness/docker/files-volume.ts";
import { FakeRisLive } from "../harness/fake-ris-live.ts";
import { freePorts } from "../harness/free-ports.ts";
import { hostAddress } from "../harness/docker/host-address.ts";
import { monitoringLogin } from "../harness/stack/monitoring-login.ts";
import { mustRun, run } from "../harness/process.ts";

const name = "monitoring";
const root = resolve(import.meta.dirname, "../..");
const rulesFolder = resolve(root, "infra/monitoring");
const containerOf = (service: string): string => `routeql-${name}-${service}`;
let address = "";
let login = { authorization: "" };
let collector: OtlpReceiver;
let risLive: FakeRisLive;
let sending: NodeJS.Timeout;
const receivers = new AlertReceivers();

beforeAll(async () => {
  const [prometheusPort] = await freePorts(1);
  address = `http://127.0.0.1:${prometheusPort}`;
  collector = await OtlpReceiver.start("0.0.0.0");
  risLive = await FakeRisLive.start("0.0.0.0");
  sending = setInterval(() => risLive.send(Date.now() / 1000), 500);
  const traces = { traceEndpoint: `http://${hostAddress()}:${collector.port}`, tracePercent: "100" };
  const ports = await receivers.start();
  const alerts = {
    alertWebhookUrl: `http://${hostAddress()}:${ports.http}/chat`,
    alertWebhookFormat: "slack",
    alertWatchdogUrl: `http://${hostAddress()}:${ports.http}/watchdog`,
    alertEmailTo: "on-call@example.net",
    alertSmtpHost: `${hostAddress()}:${ports.mail}`,
  };
  const settings = {
    engine: "embedded",
    monitoring: "stack",
    prometheusPort: String(prometheusPort),
    feed: "ris-live",
    feedUrl: `ws://${hostAddress()}:${risLive.port}`,
    feedConfiguration: "routing/examples/demo.yaml",
    ...traces,
    ...alerts,
  };
  await bringUpOwn(name, settings);
  login = await monitoringLogin(containerOf("prometheus"));
}, 600_000);
afterAll(async () => {
  await takeDownOwn(name);
  clearInterval(sending);
  await risLive[Symbol.asyncDispose]();
  await collector[Symbol.asyncDispose]();
  await receivers[Symbol.asyncDispose]();
});

/** Milliseconds of the normal load that must not raise an alert: longer than the longest window of a fast alert. */
const normalLoad = 150_000;

const command = (...args: string[]): Promise<string> =>
  mustRun(process.execPath, ["cli/main.ts", args[0]!, "--stack", name, ...args.slice(1)], {
    cwd: root,
    timeout: 300_000,
  });

async function api<Data>(path: string): Promise<Data> {
  const response = await fetch(`${address}/api/v1/${path}`, { headers: login });
  const { status, data, error } = (await response.json()) as { status: string; data: Data; error?: string };
  if (status !== "success") throw new Error(`Prometheus rejects ${path}: ${error}`);
  return data;
}

interface Sample {
  readonly metric: Readonly<Record<string, string>>;
  readonly value: readonly [number, string];
}
const samplesOf = async (query: string): Promise<readonly Sample[]> =>
  (await api<{ result: Sample[] }>(`query?query=${encodeURIComponent(query)}`)).result;

async function firing(): Promise<readonly string[]> {
  const { alerts } = await api<{ alerts: { state: string; labels: Record<string, string> }[] }>("alerts");
  return alerts
    .filter(({ state, labels }) => state === "firing" && labels["alertname"] !== "Watchdog")
    .map(({ labels }) => `${labels["alertname"]} ${labels["service"]}`);
}

/** Queries with the master key, logins, tokens and one wrong password, as of some people at work. */
async function underLoad(
  milliseconds: number,
): Promise<{ readonly queries: number; readonly failed: readonly string[] }> {
  const stack = await describeStack(stackPaths(name).accessFile);
  const agent = new Agent({ connect: { ca: stack.caCertificate }, connections: 4 });
  const failed: string[] = [];
  let queries = 0;
  const send = async (
    path: string,
    body: object | undefined,
    headers: Readonly<Record<string, string>>,
    expected: number,
  ): Promise<unknown> => {
    const method = body === undefined ? "GET" : "POST";
    const response = await request(new URL(path, stack.url), {
      method,
      headers: { "content-type": "application/json", ...headers },
      dispatcher: agent,
      body: body === undefined ? null : JSON.stringify(body),
    });
    const answer = await response.body.json();
    if (response.statusCode !== expected) failed.push(`${path} ${response.statusCode}`);
    return answer;
  };
  const key = { "x-service-api-key": stack.serviceApiKey };
  const login = (password: string, expected: number): Promise<unknown> =>
    send("/api/auth/login/credentials", { email: stack.adminEmail, password }, key, expected);
  const end = performance.now() + milliseconds;
  await login("a wrong password", 401);
  while (performance.now() < end) {
    const { user } = (await login(stack.adminPassword, 200)) as { user: { sessionId: string } };
    await send("/api/auth/jwt", undefined, { ...key, cookie: `sid=${user.sessionId}` }, 200);
    for (let turn = 0; turn < 20 && performance.now() < end; turn += 1) {
      await send(
        "/api/graphql",
        { query: "{ view_bgpupdates(limit: 10, order_by: {timestamp: desc}) { prefix origin_as as_path } }" },
        { "x-engine-access-key": stack.engineAccessKey },
        200,
      );
      queries += 1;
      await sleep(100);
    }
  }
  await agent.close();
  return { queries, failed };
}

/** The tests after its start run beside it. */
let normal: ReturnType<typeof runNormalLoad> | undefined;
const underNormalLoad = () => (normal ??= runNormalLoad());

async function runNormalLoad() {
  const sent = await underLoad(normalLoad);
  const raised = await samplesOf(
    `count by (alertname, alertstate, service, route) (max_over_time(ALERTS{alertname!~"Watchdog|AlertsNotDelivered"}[${normalLoad / 1000}s]))`,
  );
  return { ...sent, raised };
}

const alertQueries = (): string[] =>
  (
    parse(readFileSync(resolve(rulesFolder, "alerts.yml"), "utf8")) as { groups: { rules: { expr: string }[] }[] }
  ).groups.flatMap(({ rules }) => rules.map(({ expr }) => expr));

test("web pages of other origins read no metrics, and Alertmanager has no port on the host", async () => {
  const ask = (origin: string) => fetch(`${address}/api/v1/query?query=up`, { headers: { origin, ...login } });
  expect((await ask("https://other.example")).headers.get("access-control-allow-origin")).toBeNull();
  expect((await ask(address)).headers.get("access-control-allow-origin")).toBe(address);
  expect((await mustRun("docker", ["port", containerOf("alertmanager")])).trim()).toBe("");
  const amtool = (...args: string[]) =>
    mustRun("docker", [
      "exec",
      containerOf("alertmanager"),
      "amtool",
      "--alertmanager.url=http://127.0.0.1:9093",
      "--http.config.file=/run/routeql/client.yml",
      ...args,
    ]);
  const silence = ["silence", "add", "--author=operator", "--comment=a test", "--duration=1m", "alertname=BackupOld"];
  const id = (await amtool(...silence)).trim();
  expect(await amtool("silence", "query")).toContain(id);
  await amtool("silence", "expire", id);
});

/** `ADDRESS STATUS` of each, asked without the login; `ADDRESS unreachable` without an answer. */
const askProgram = `
  const ask = (url) => fetch(url, { method: "POST", signal: AbortSignal.timeout(1000) }).then(
    ({ status }) => url + " " + status,
    () => url + " unreachable",
  );
  console.log((await Promise.all(process.argv.slice(1).map(ask))).join("\\n"));
`;
const ofNode = (...urls: readonly string[]): readonly string[] => ["--input-type=module", "-e", askProgram, ...urls];

test("without the login no user of the host and no service with metrics silences or reads", async () => {
  const paths = { prometheus: "9090/api/v1/query", alertmanager: "9093/api/v2/silences" };
  const format = "{{range .NetworkSettings.Networks}}{{.IPAddress}} {{end}}";
  const ofBridges = await Promise.all(
    Object.entries(paths).map(async ([service, path]) =>
      (await mustRun("docker", ["inspect", "--format", format, containerOf(service)]))
        .trim()
        .split(" ")
        .map((place) => `http://${place}:${path}`),
    ),
  );
  const fromHost = (await mustRun(process.execPath, ofNode(`${address}/api/v1/query`, ...ofBridges.flat())))
    .trim()
    .split("\n");
  expect(fromHost[0]).toBe(`${address}/api/v1/query 401`);
  expect(fromHost.filter((line) => line.endsWith(" 401")).length).toBeGreaterThan(2);
  // A router of the machine may answer for the addresses of internal networks.
  const accepted = (lines: readonly string[]): string[] => lines.filter((line) => / [123]\d\d$/.test(line));
  expect(accepted(fromHost)).toEqual([]);

  const names = Object.entries(paths).map(([service, path]) => `http://${service}:${path}`);
  const fromService = ["exec", containerOf("auth-sidecar"), "node", ...ofNode(...names, ...ofBridges[1]!)];
  const seen = (await mustRun("docker", fromService)).trim().split("\n");
  expect(seen.slice(0, 2)).toEqual([`${names[0]} 401`, `${names[1]} unreachable`]);
  expect(accepted(seen)).toEqual([]);
});

test("Prometheus reads every service", async () => {
  const states = async (): Promise<Record<string, string>> => {
    const { activeTargets } = await api<{ activeTargets: { labels: { service: string }; health: string }[] }>(
      "targets",
    );
    return Object.fromEntries(activeTargets.map(({ labels, health }) => [labels.service, health]));
  };
  const services = [
    "alertmanager",
    "auth-sidecar",
    "database-exporter",
    "disk-exporter",
    "engine",
    "feed",
    "gateway",
    "prometheus",
    "sessions-exporter",
  ];
  await expect
    .poll(states, { timeout: 60_000 })
    .toEqual(Object.fromEntries(services.map((service) => [service, "up"])));
  expect(await samplesOf("pg_up == 1 and on () redis_up == 1")).toHaveLength(1);
});

test("the exporters' logins read no row and no key", async () => {
  const login = (
    await mustRun("docker", [
      "exec",
      containerOf("sessions-exporter"),
      "cat",
      "/run/routeql/secrets/sessions-monitor-login",
    ])
  ).trim();
  const [password = ""] = Object.values(JSON.parse(login) as Record<string, string>);
  const valkey = async (...args: string[]): Promise<string> => {
    const { stdout } = await run("docker", [
      "exec",
      "--env",
      `REDISCLI_AUTH=${password}`,
      containerOf("sessions"),
      "valkey-cli",
      "--user",
      "monitor",
      ...args,
    ]);
    return stdout;
  };
  expect(await valkey("info", "server")).toContain("valkey_version");
  for (const denied of [
    ["keys", "*"],
    ["get", "a"],
    ["config", "get", "requirepass"],
    ["acl", "list"],
    ["slowlog", "get"],
  ])
    expect(await valkey(...denied)).toContain("NOPERM");
});

// promtool computes for up to half a minute, longer on a busy machine.
test("the alerts pass their unit tests", { timeout: 300_000 }, async () => {
  const image = (
    await mustRun("docker", ["inspect", "--format", "{{.Config.Image}}", containerOf("prometheus")])
  ).trim();
  await using rules = new FilesVolume();
  const tests = ["alerts.test.yml", "slow-alerts.test.yml"];
  for (const file of ["alerts.yml", ...tests]) rules.put(file, readFileSync(resolve(rulesFolder, file), "utf8"));
  await rules.fill(image);
  const { stdout, stderr, code } = await run("docker", [
    "run",
    "--rm",
    "--network=none",
    `--volume=${rules.name}:/rules:ro`,
    "--workdir=/rules",
    image,
    "promtool",
    "test",
    "rules",
    ...tests,
  ]);
  expect({ code, text: stdout + stderr }).toMatchObject({ code: 0 });
});

test("a live update becomes a hijack, and status shows where the feed stands", async () => {
  const hijacks = () => command("query", "{ view_hijacks { prefix hijack_as active } }");
  await expect.poll(hijacks, { timeout: 60_000, interval: 2000 }).toMatch(/"hijack_as": ?64500/);
  const { stdout } = await run(process.execPath, ["cli/main.ts", "status", "--stack", name], { cwd: root });
  expect(stdout).toMatch(/\n {2}feed +ris-live stored until \S+ \([0-9]+ s ago\), no gap\n/);
});

test("traces of the engine and the auth sidecar reach a collector on the host", { timeout: 120_000 }, async () => {
  await command("query", "{ view_bgpupdates(limit: 1) { prefix } }");
  const found = (service: string, span: string): boolean =>
    collector.spans.some((each) => each.service === service && each.name === span);
  await expect
    .poll(() => found("routeql-engine", "SELECT") && found("routeql-auth-sidecar", "argon2id"), { timeout: 30_000 })
    .toBe(true);
  // A request ends after its steps, so its span may arrive later.
  const withoutParent = (): string[] =>
    collector.spans
      .filter(
        ({ traceId, parentSpanId }) =>
          parentSpanId !== "" && !collector.of(traceId).some(({ spanId }) => spanId === parentSpanId),
      )
      .map(({ name: span }) => span);
  await expect.poll(withoutParent, { timeout: 30_000 }).toEqual([]);
  const request = collector.spans.find(({ name: each }) => each === "POST /v1/graphql");
  const lines = await mustRun("docker", ["logs", containerOf("gateway")]);
  expect(lines).toContain(request?.traceId ?? "no request");
});

test("a first start raises no alert, and the watchdog is delivered", { timeout: 120_000 }, async () => {
  await expect.poll(() => receivers.watchdog.length, { timeout: 90_000 }).toBeGreaterThan(0);
  expect(receivers.watchdog[0]).toContain('"alertname":"Watchdog"');
  expect([...receivers.chat, ...receivers.mails]).toEqual([]);
  expect(await firing()).toEqual([]);
});

test(
  "every panel has data under load, and every metric of a panel or an alert exists",
  { timeout: 300_000 },
  async () => {
    await command("load", "--demo", "1000");
    await command("backup", "--to", join(await mkdtemp(join(tmpdir(), "routeql-monitoring-")), "first.dump"));
    void underNormalLoad();
    const panels = sections.flatMap((section) => section.panels);
    const empty = async (): Promise<string[]> => {
      const results = await Promise.all(
        panels.map(async ({ title, query, mayBeEmpty }) =>
          (await samplesOf(query)).length === 0 && mayBeEmpty !== true ? title : "",
        ),
      );
      return results.filter((title) => title !== "");
    };
    // The rates of panels need requests in several scrapes.
    await expect.poll(empty, { timeout: 90_000, interval: 2000 }).toEqual([]);

    const known = new Set(await api<string[]>("label/__name__/values"));
    const queries = [...panels.map(({ query }) => query), ...alertQueries()].join("\n").replaceAll(/"[^"]*"/g, "");
    const metrics = new Set(queries.match(/\b(?:routeql|auth|feed|http|node|pg|redis|process)_[a-z_]+\b/g));
    // They count rejections and lost connections, which did not happen.
    const withoutEvents = new Set(["routeql_gateway_limited_requests_total", "feed_gaps_total"]);
    const unseen = [...metrics.difference(withoutEvents).difference(known)];
    expect(metrics.size).toBeGreaterThan(25);
    expect(unseen).toEqual([]);
  },
);

test("the console page shows every panel", async () => {
  const response = await fetch(`${address}/consoles/routeql.html`, { headers: login });
  const page = await response.text();
  expect({ status: response.status, error: /error (parsing|executing)/i.exec(page)?.[0] }).toEqual({
    status: 200,
    error: undefined,
  });
  for (const { panels } of sections) for (const { title } of panels) expect(page).toContain(`>${title}</a>`);
  expect(page).toContain("<td>/api/graphql 200</td>");
});

test(
  "a test alert reaches the chat and the mailbox, and a failed delivery is reported",
  { timeout: 180_000 },
  async () => {
    await command("alerts", "--test");
    await expect.poll(() => receivers.mails.length, { timeout: 60_000 }).toBeGreaterThan(0);
    expect(receivers.mails[0]).toMatch(/^To: .*on-call@example\.net/m);
    await expect.poll(() => receivers.chat.length, { timeout: 60_000 }).toBeGreaterThan(0);
    expect((JSON.parse(receivers.chat[0]!) as { attachments: object[] }).attachments).toMatchObject([
      {
        title: "[FIRING] monitoring TestAlert " + (/test-\d+/.exec(receivers.chat[0]!)?.[0] ?? ""),
        text: "A test of the delivery of alerts \n",
      },
    ]);
    receivers.status = 307;
    await expect(command("alerts", "--test")).rejects.toThrow("The test alert was not delivered");
    receivers.status = 200;
    expect(receivers.redirected).toEqual([]);
    await expect.poll(firing, { timeout: 60_000 }).toContain("AlertsNotDelivered alertmanager");
    const { stdout } = await run(process.execPath, ["cli/main.ts", "status", "--stack", name], { cwd: root });
    expect(stdout).toMatch(/alert delivery +notifications: [1-9]\d*, failed attempts: [1-9]\d* of [1-9]\d*/);
  },
);

test("normal load raises no alert, not even a pending one", { timeout: 300_000 }, async () => {
  const { queries, failed, raised } = await underNormalLoad();
  expect(queries).toBeGreaterThan(normalLoad / 1000);
  expect(failed).toEqual([]);
  expect(raised.map(({ metric }) => metric)).toEqual([]);
});

test("switching monitoring off removes its services and its role", { timeout: 300_000 }, async () => {
  const alerts = ["alertWebhookUrl", "alertWatchdogUrl", "alertEmailTo", "alertSmtpHost"];
  await updateOwn(name, { monitoring: "off" }, alerts);
  expect((await containersOf(name)).join("\n")).not.toMatch(/exporter|prometheus|alertmanager/);
  expect(await command("psql", "-c", "select count(*) from pg_roles where rolname = 'routeql_monitor'", "-At")).toMatch(
    /^0$/m,
  );
});
