import { parse } from "yaml";
import { expect, test } from "vitest";
import type { GivenSettings } from "../settings/list.ts";
import { describeStack } from "../testing/descriptions.ts";
import type { ServiceDescription } from "../description/service.ts";

const describe = (given: GivenSettings): readonly ServiceDescription[] =>
  describeStack({ engine: "embedded", ...given });
const names = (given: GivenSettings): string[] => describe(given).map(({ name }) => name);

const off = describe({});

test("without monitoring nothing joins the metrics network and nothing is added", () => {
  // These two have what monitoring needs, so that it does not restart them.
  const others = off.filter(({ name }) => name !== "gateway" && name !== "sessions");
  expect(JSON.stringify(others)).not.toMatch(/monitor|joinsMetrics|exporter/);
  expect(off.find(({ name }) => name === "gateway")).not.toMatchObject({ metricsPort: expect.anything() });
});

test("`scrape` adds the exporters, and `stack` Prometheus and Alertmanager too", () => {
  const before = off.map(({ name }) => name);
  expect(names({ monitoring: "scrape" })).toEqual([
    ...before,
    "database-exporter",
    "sessions-exporter",
    "disk-exporter",
  ]);
  expect(names({ monitoring: "stack" })).toEqual([
    ...before,
    "database-exporter",
    "sessions-exporter",
    "disk-exporter",
    "alertmanager",
    "prometheus",
  ]);
  expect(names({ monitoring: "scrape", target: "kubernetes" })).not.toContain("disk-exporter");
});

test("Grafana is added with its image alone, and shows the dashboard from Prometheus", () => {
  const given = { monitoring: "stack", grafanaImage: "registry.example.net/grafana:1", grafanaPort: 13_000 } as const;
  const all = describe(given);
  const grafana = all.find(({ name }) => name === "grafana")!;
  expect(all.length).toBe(names({ monitoring: "stack" }).length + 1);
  expect(grafana).toMatchObject({
    image: "grafana",
    ports: [{ internal: 3000, published: 13_000, loopback: true }],
    joinsMetrics: false,
    environment: {
      GF_AUTH_ANONYMOUS_ORG_ROLE: "Viewer",
      GF_AUTH_DISABLE_LOGIN_FORM: "true",
      GF_SERVER_DOMAIN: "127.0.0.1",
      GF_SERVER_ENFORCE_DOMAIN: "true",
    },
  });
  expect(grafana).not.toHaveProperty("data");
  const { datasources } = parse(grafana.files["grafana/provisioning/datasources/prometheus.yaml"] as string) as {
    datasources: object[];
  };
  expect(datasources).toMatchObject([
    {
      url: "http://prometheus:9090",
      basicAuthUser: "routeql",
      secureJsonData: { basicAuthPassword: "$__file{/run/routeql/secrets/monitoring-password}" },
    },
  ]);
  expect(all.find(({ name }) => name === "prometheus")!.calls).toEqual(["alertmanager", "grafana"]);
  const { providers } = parse(grafana.files["grafana/provisioning/dashboards/routeql.yaml"] as string) as {
    providers: { options: { path: string } }[];
  };
  const folder = providers[0]!.options.path;
  expect(grafana.environment["GF_DASHBOARDS_DEFAULT_HOME_DASHBOARD_PATH"]).toBe(`${folder}/routeql.json`);
  expect(Object.keys(grafana.files).map((path) => `/run/routeql/${path}`)).toContain(`${folder}/routeql.json`);
  const scraped = all.find(({ name }) => name === "prometheus")!.files["prometheus/prometheus.yml"] as string;
  expect(scraped).toContain("grafana:3000");
});

test("Alertmanager has a way out exactly when an address for alerts is set", () => {
  const outside = (alertWebhook: boolean) =>
    describeStack({ engine: "embedded", monitoring: "stack" }, "staging", { alertWebhook }).find(
      ({ name }) => name === "alertmanager",
    )?.callsOutside;
  expect(outside(true)).toEqual(["receiver"]);
  expect(outside(false)).toBeUndefined();
});

test("external services have no exporter", () => {
  const external = {
    databaseUrl: "x",
    sessionsUrl: "x",
    database: "external",
    sessions: "external",
    monitoring: "scrape",
  } as const;
  expect(names(external).filter((name) => name.endsWith("exporter"))).toEqual(["disk-exporter"]);
  expect(describe(external).find(({ name }) => name === "migrate")?.secrets).not.toHaveProperty(
    "MONITOR_PASSWORD_FILE",
  );
});

test("monitoring changes only services with metrics and those with the new logins", () => {
  const on = describe({ monitoring: "scrape" });
  const changed = off.filter((service) => {
    const { joinsMetrics: _, ...after } = on.find(({ name }) => name === service.name)!;
    return JSON.stringify(after) !== JSON.stringify(service);
  });
  expect(changed.map(({ name }) => name)).toEqual(["migrate", "gateway"]);
});

test("the members of the metrics network are those with metrics, without Alertmanager", () => {
  const members = (given: GivenSettings): string[] =>
    describe(given)
      .filter(({ joinsMetrics }) => joinsMetrics === true)
      .map(({ name }) => name);
  const measured = ["auth-sidecar", "engine", "gateway", "database-exporter", "sessions-exporter", "disk-exporter"];
  expect(members({ monitoring: "scrape" })).toEqual(measured);
  expect(members({ monitoring: "stack" })).toEqual([...measured, "prometheus"]);
});

test("Prometheus and Alertmanager require a login, which no service of the metrics network has", () => {
  const services = describe({ monitoring: "stack" });
  for (const name of ["prometheus", "alertmanager"]) {
    const { command, files, health } = services.find((service) => service.name === name)!;
    expect(command).toContain("--web.config.file=/run/routeql/web.yml");
    expect(files["web.yml"]).toEqual({ secret: "monitoring-web-configuration" });
    expect(health).toMatchObject({ kind: "command" });
  }
  const holders = services.filter(({ secrets }) => Object.values(secrets).includes("monitoring-password"));
  expect(holders.map(({ name }) => name)).toEqual(["alertmanager", "prometheus"]);
  const configuration = services.find(({ name }) => name === "prometheus")!.files[
    "prometheus/prometheus.yml"
  ] as string;
  const { alerting, scrape_configs: jobs } = parse(configuration) as {
    alerting: { alertmanagers: object[] };
    scrape_configs: { job_name: string; basic_auth?: object }[];
  };
  expect(alerting.alertmanagers).toMatchObject([{ basic_auth: { username: "routeql" } }]);
  expect(jobs.filter(({ basic_auth: login }) => login !== undefined).map(({ job_name: job }) => job)).toEqual([
    "routeql/staging/alertmanager",
    "routeql/staging/prometheus",
  ]);
});

test("each exporter calls only its own service", () => {
  const on = describe({ monitoring: "stack" });
  const added = on.filter(({ name }) => !off.some((service) => service.name === name));
  expect(added.flatMap(({ name, calls }) => calls.map((callee) => `${name} to ${callee}`))).toEqual([
    "database-exporter to database",
    "sessions-exporter to sessions",
    "prometheus to alertmanager",
  ]);
  expect(on.filter(({ joinsMetrics }) => joinsMetrics).map(({ name }) => name)).not.toContain("database");
});

test("Alertmanager posts to the given address, which it reads from a file", () => {
  const files = (alertWebhook: boolean): unknown => {
    const services = describeStack({ engine: "embedded", monitoring: "stack" }, "staging", { alertWebhook });
    return parse(
      services.find(({ name }) => name === "alertmanager")?.files["alertmanager/alertmanager.yml"] as string,
    );
  };
  expect(files(true)).toMatchObject({
    global: { http_config: { follow_redirects: false } },
    route: { receiver: "stack", group_interval: "30s" },
    receivers: [
      { name: "stack", webhook_configs: [{ url_file: "/run/routeql/secrets/alert-webhook-url", send_resolved: true }] },
      { name: "test", webhook_configs: [{ url_file: "/run/routeql/secrets/alert-webhook-url", send_resolved: false }] },
    ],
  });
  expect(files(false)).toMatchObject({ receivers: [{ name: "stack" }, { name: "test" }] });
});

test("monitoring ports are published on the loopback address only", () => {
  const on = describe({ monitoring: "stack", hostAddress: "0.0.0.0", prometheusPort: 19_090 });
  const ports = on
    .flatMap(({ name, ports: published }) => published.map((port) => ({ name, ...port })))
    .filter(({ name }) => name !== "gateway");
  expect(ports).toEqual([{ name: "prometheus", internal: 9090, published: 19_090, loopback: true }]);
});

test.each([
  ["mail.example.net:587", { auth_username: "alerts" }],
  ["mail.example.net:465", { auth_username: "alerts", require_tls: false }],
  ["[2001:db8::25]:465", { auth_username: "alerts", require_tls: false }],
])(
  "a mail server with a login needs STARTTLS, except on a port that is encrypted anyway: %s",
  (alertSmtpHost, login) => {
    const given = {
      monitoring: "stack",
      alertEmailTo: "noc@example.net",
      alertSmtpHost,
      alertSmtpUser: "alerts",
    } as const;
    const service = describe({ ...given, alertSmtpPassword: "a-password" }).find(
      ({ name }) => name === "alertmanager",
    )!;
    const { receivers } = parse(service.files["alertmanager/alertmanager.yml"] as string) as {
      receivers: readonly { readonly email_configs: readonly object[] }[];
    };
    const { auth_username, require_tls } = receivers[0]!.email_configs[0] as Record<string, unknown>;
    expect({ auth_username, ...(require_tls === undefined ? {} : { require_tls }) }).toEqual(login);
  },
);
