import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { parse } from "yaml";
import { sections } from "@routeql/infra/monitoring/panels";
import { bringUpOwn, takeDownOwn, updateOwn } from "../e2e/support/own-stack.ts";
import { freePorts } from "../harness/free-ports.ts";
import { mustRun, run } from "../harness/process.ts";

const name = "monitoring";
const root = resolve(import.meta.dirname, "../..");
const rulesFolder = resolve(root, "infra/monitoring");
const containerOf = (service: string): string => `routeql-${name}-${service}`;
let address = "";

beforeAll(async () => {
  const [prometheusPort, alertmanagerPort] = await freePorts(2);
  address = `http://127.0.0.1:${prometheusPort}`;
  const settings = { engine: "embedded", monitoring: "stack", prometheusPort: String(prometheusPort), alertmanagerPort: String(alertmanagerPort) };
  await bringUpOwn(name, settings);
}, 600_000);
afterAll(() => takeDownOwn(name));

const command = (...args: string[]): Promise<string> => mustRun(process.execPath, ["cli/main.ts", args[0]!, "--stack", name, ...args.slice(1)], { cwd: root, timeout: 300_000 });

async function api<Data>(path: string): Promise<Data> {
  const response = await fetch(`${address}/api/v1/${path}`);
  const { status, data, error } = (await response.json()) as { status: string; data: Data; error?: string };
  if (status !== "success") throw new Error(`Prometheus rejects ${path}: ${error}`);
  return data;
}

interface Sample {
  readonly metric: Readonly<Record<string, string>>;
  readonly value: readonly [number, string];
}
const samplesOf = async (query: string): Promise<readonly Sample[]> => (await api<{ result: Sample[] }>(`query?query=${encodeURIComponent(query)}`)).result;

async function firing(): Promise<readonly string[]> {
  const { alerts } = await api<{ alerts: { state: string; labels: Record<string, string> }[] }>("alerts");
  return alerts.filter(({ state }) => state === "firing").map(({ labels }) => `${labels["alertname"]} ${labels["service"]}`);
}

const alertQueries = (): string[] =>
  (parse(readFileSync(resolve(rulesFolder, "alerts.yml"), "utf8")) as { groups: { rules: { expr: string }[] }[] }).groups.flatMap(({ rules }) => rules.map(({ expr }) => expr));

test("Prometheus reads every service, and no alert fires", async () => {
  const states = async (): Promise<Record<string, string>> => {
    const { activeTargets } = await api<{ activeTargets: { labels: { service: string }; health: string }[] }>("targets");
    return Object.fromEntries(activeTargets.map(({ labels, health }) => [labels.service, health]));
  };
  const services = ["alertmanager", "auth-sidecar", "database-exporter", "engine", "gateway", "prometheus", "sessions-exporter"];
  await expect.poll(states, { timeout: 60_000 }).toEqual(Object.fromEntries(services.map((service) => [service, "up"])));
  expect(await samplesOf("pg_up == 1 and on () redis_up == 1")).toHaveLength(1);
  expect(await firing()).toEqual([]);
});

test("every panel has data under load, and every metric of a panel or an alert exists", { timeout: 300_000 }, async () => {
  await command("load", "--demo", "1000");
  for (let sent = 0; sent < 6; sent += 1) {
    await command("query", "{ view_bgpupdates(limit: 1) { prefix } }");
    // Two scrapes have to differ, so the requests are spread over some.
    await new Promise((resume) => setTimeout(resume, 5000));
  }
  const panels = sections.flatMap((section) => section.panels);
  const empty = async (): Promise<string[]> => {
    const results = await Promise.all(panels.map(async ({ title, query, mayBeEmpty }) => ((await samplesOf(query)).length === 0 && mayBeEmpty !== true ? title : "")));
    return results.filter((title) => title !== "");
  };
  await expect.poll(empty, { timeout: 60_000, interval: 2000 }).toEqual([]);

  const known = new Set(await api<string[]>("label/__name__/values"));
  const queries = [...panels.map(({ query }) => query), ...alertQueries()].join("\n").replaceAll(/"[^"]*"/g, "");
  const metrics = new Set(queries.match(/\b(?:routeql|auth|http|pg|redis|process)_[a-z_]+\b/g));
  // It counts rejections, and nothing was rejected.
  const unseen = [...metrics].filter((metric) => !known.has(metric) && metric !== "routeql_gateway_limited_requests_total");
  expect(metrics.size).toBeGreaterThan(25);
  expect(unseen).toEqual([]);
});

test("the console page shows every panel", async () => {
  const response = await fetch(`${address}/consoles/routeql.html`);
  const page = await response.text();
  expect({ status: response.status, error: /error/i.exec(page)?.[0] }).toEqual({ status: 200, error: undefined });
  for (const { panels } of sections) for (const { title } of panels) expect(page).toContain(`>${title}</a>`);
  expect(page).toContain("<td>/api/graphql 200</td>");
});

test("the alerts pass their unit tests", async () => {
  const image = (await mustRun("docker", ["inspect", "--format", "{{.Config.Image}}", containerOf("prometheus")])).trim();
  const { stdout, stderr, code } = await run("docker", ["run", "--rm", "--network=none", `--volume=${rulesFolder}:/rules:ro`, "--workdir=/rules", image, "promtool", "test", "rules", "alerts.test.yml"]);
  expect({ code, text: stdout + stderr }).toMatchObject({ code: 0 });
});

test("the exporters' logins read no row and no key", async () => {
  const login = (await mustRun("docker", ["exec", containerOf("sessions-exporter"), "cat", "/run/routeql/secrets/sessions-monitor-login"])).trim();
  const [password = ""] = Object.values(JSON.parse(login) as Record<string, string>);
  const valkey = async (...args: string[]): Promise<string> => {
    const { stdout } = await run("docker", ["exec", "--env", `REDISCLI_AUTH=${password}`, containerOf("sessions"), "valkey-cli", "--user", "monitor", ...args]);
    return stdout;
  };
  expect(await valkey("info", "server")).toContain("valkey_version");
  for (const denied of [["keys", "*"], ["get", "a"], ["config", "get", "requirepass"], ["acl", "list"], ["slowlog", "get"]]) expect(await valkey(...denied)).toContain("NOPERM");
});

test("a service that stops raises its alert within 60 s, which clears after recovery", { timeout: 240_000 }, async () => {
  await mustRun("docker", ["stop", containerOf("engine")]);
  const stopped = performance.now();
  await expect.poll(firing, { timeout: 60_000, interval: 500 }).toContain("ServiceDown engine");
  console.log(`engine stopped: ServiceDown after ${((performance.now() - stopped) / 1000).toFixed(0)} s`);
  const status = await run(process.execPath, ["cli/main.ts", "status", "--stack", name, "--json"], { cwd: root, timeout: 60_000 });
  expect((JSON.parse(status.stdout) as { problems: unknown[] }).problems).toContainEqual({ subject: "engine", reason: "the alert ServiceDown fires", next: "docs/operate/runbooks.md#servicedown" });
  await mustRun("docker", ["start", containerOf("engine")]);
  await expect.poll(firing, { timeout: 90_000, interval: 500 }).not.toContain("ServiceDown engine");
});

test("switching monitoring off removes its services and its role", { timeout: 300_000 }, async () => {
  await updateOwn(name, { monitoring: "off" });
  const running = await mustRun("docker", ["ps", "--all", "--filter", `label=com.routeql.stack=${name}`, "--format", "{{.Names}}"]);
  expect(running).not.toMatch(/exporter|prometheus|alertmanager/);
  expect(await command("psql", "-c", "select count(*) from pg_roles where rolname = 'routeql_monitor'", "-At")).toMatch(/^0$/m);
});
