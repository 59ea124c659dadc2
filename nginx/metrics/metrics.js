// Metrics of the gateway in Prometheus' text format. This file runs in nginx (njs 0.8.9), which knows ECMAScript 6.
import fs from "fs";

const certificateFile = "/run/routeql/tls/certificate.pem";
const duration = "routeql_gateway_request_duration_seconds";
const bounds = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

// Any other path counts as "other": clients choose paths, so a path must not become a label.
const routes = [
  "/api/graphql",
  "/api/auth/login/credentials",
  "/api/auth/login/ldap",
  "/api/auth/jwt",
  "/api/auth/logout",
  "/jwt/auth",
  "/healthz",
];

// Type, labels and meaning; docs/reference/metrics.md is made from this list.
const described = {
  routeql_gateway_requests_total: [
    "counter",
    ["route", "status"],
    "Answered requests by route and status; status 0 means that the client left first.",
  ],
  routeql_gateway_request_duration_seconds: [
    "histogram",
    ["route"],
    "Time from the first byte of a request to the last byte of its answer, without WebSockets.",
  ],
  routeql_gateway_limited_requests_total: [
    "counter",
    ["limit", "route"],
    "Requests rejected by a limit per address: the rate or the number of connections.",
  ],
  routeql_gateway_tls_connections_total: [
    "counter",
    ["protocol", "resumed"],
    "TLS connections that sent a request, by protocol and whether the session was resumed.",
  ],
  routeql_gateway_connections: ["gauge", ["state"], "Open client connections by state."],
  routeql_gateway_certificate_expiry_timestamp_seconds: ["gauge", [], "Time at which the certificate expires."],
  process_cpu_seconds_total: ["counter", [], "Processor time of all processes."],
  process_resident_memory_bytes: [
    "gauge",
    [],
    "Resident memory of all processes; memory that they share counts for each.",
  ],
  process_start_time_seconds: ["gauge", [], "Time at which the gateway started."],
};

function add(name, amount) {
  ngx.shared.metrics.incr(name, amount, 0);
}

function count(r) {
  const values = r.variables;
  // The container's own health check.
  if (values.logged === "0") return "";
  const route = routes.indexOf(values.request_path) < 0 ? "other" : values.request_path;
  add(`routeql_gateway_requests_total{route="${route}",status="${values.status_number}"}`, 1);
  if (values.status_number !== "101") observe(route, Number(values.request_time));
  if (values.limit_req_status === "REJECTED")
    add(`routeql_gateway_limited_requests_total{limit="rate",route="${route}"}`, 1);
  if (values.limit_conn_status === "REJECTED")
    add(`routeql_gateway_limited_requests_total{limit="connections",route="${route}"}`, 1);
  if (values.connection_requests === "1" && values.ssl_protocol) {
    const resumed = values.ssl_session_reused === "r" ? "true" : "false";
    add(`routeql_gateway_tls_connections_total{protocol="${values.ssl_protocol}",resumed="${resumed}"}`, 1);
  }
  return "";
}

// One bucket for each request, so that a request costs little; `cumulated` adds them up as Prometheus reads them.
function observe(route, seconds) {
  const bound = bounds.find((each) => seconds <= each) || "+Inf";
  add(`${duration}_bucket{route="${route}",le="${bound}"}`, 1);
  add(`${duration}_sum{route="${route}"}`, seconds);
}

function cumulated(route) {
  const bucket = (bound) => `${duration}_bucket{route="${route}",le="${bound}"}`;
  let sum = 0;
  const buckets = bounds
    .concat("+Inf")
    .map((bound) => `${bucket(bound)} ${(sum += ngx.shared.metrics.get(bucket(bound)) || 0)}`);
  return sum === 0 ? [] : buckets.concat(`${duration}_count{route="${route}"} ${sum}`);
}

// The end of the validity (RFC 5280, 4.1.2.5), found in hexadecimal: a sequence of two times, each with two or four digits of the year.
function certificateExpiry() {
  const pem = fs.readFileSync(certificateFile, "utf8");
  const certificate = Buffer.from(pem.split("-----")[2].replace(/\s/g, ""), "base64").toString("hex");
  const found = /30(?:1e|20|22)(?:170d(?:3\d){12}5a|180f(?:3\d){14}5a)(?:170d((?:3\d){12})5a|180f((?:3\d){14})5a)/.exec(
    certificate
  );
  if (!found) return undefined;
  const digits = (found[2] || (found[1] < "35" ? `3230${found[1]}` : `3139${found[1]}`)).replace(/3(\d)/g, "$1");
  return Date.parse(digits.replace(/(....)(..)(..)(..)(..)(..)/, "$1-$2-$3T$4:$5:$6Z")) / 1000;
}

// Ticks in a second, the same on every Linux (USER_HZ).
const ticks = 100;

// The fields of /proc/<id>/stat from the third on (proc(5)): the second is the name in brackets.
function statOf(id) {
  const text = fs.readFileSync(`/proc/${id}/stat`, "utf8");
  return text
    .slice(text.lastIndexOf(")") + 2)
    .split(" ")
    .map(Number);
}

// nginx and the shell that follows names and certificates: every process of the container. Times include those of ended children.
function processSamples() {
  let cpu = 0;
  let memory = 0;
  fs.readdirSync("/proc")
    .filter((name) => /^[0-9]+$/.test(name))
    .forEach((id) => {
      try {
        cpu +=
          statOf(id)
            .slice(11, 15)
            .reduce((sum, each) => sum + each, 0) / ticks;
        const resident = /^VmRSS:\s+(\d+) kB/m.exec(fs.readFileSync(`/proc/${id}/status`, "utf8"));
        if (resident) memory += resident[1] * 1024;
      } catch (error) {
        // The process has ended in the meantime.
        if (error.code !== "ENOENT" && error.code !== "ESRCH") throw error;
      }
    });
  return [
    `process_cpu_seconds_total ${cpu}`,
    `process_resident_memory_bytes ${memory}`,
    `process_start_time_seconds ${startTime()}`,
  ];
}

// Calculated once, because the time of the boot moves with the clock.
function startTime() {
  if (!ngx.shared.metrics.has("start")) {
    const boot = /^btime (\d+)/m.exec(fs.readFileSync("/proc/stat", "utf8"));
    ngx.shared.metrics.add("start", Number(boot[1]) + statOf(1)[19] / ticks);
  }
  return ngx.shared.metrics.get("start");
}

function expose(r) {
  const counted = ngx.shared.metrics.items().filter((item) => item[0].indexOf("_bucket{") < 0 && item[0] !== "start");
  const samples = counted.map((item) => `${item[0]} ${item[1]}`).concat(processSamples());
  routes.concat("other").forEach((route) => samples.push.apply(samples, cumulated(route)));
  ["active", "reading", "writing", "waiting"].forEach((state) => {
    samples.push(`routeql_gateway_connections{state="${state}"} ${r.variables[`connections_${state}`]}`);
  });
  const expiry = certificateExpiry();
  if (expiry) samples.push(`routeql_gateway_certificate_expiry_timestamp_seconds ${expiry}`);
  const lines = Object.keys(described).map((name) => {
    const own = samples.filter(
      (sample) => sample.startsWith(`${name}{`) || sample.startsWith(`${name} `) || sample.startsWith(`${name}_`)
    );
    return [`# HELP ${name} ${described[name][2]}`, `# TYPE ${name} ${described[name][0]}`].concat(own).join("\n");
  });
  r.headersOut["Content-Type"] = "text/plain; version=0.0.4; charset=utf-8";
  r.return(200, `${lines.join("\n")}\n`);
}

export default { count, expose };
