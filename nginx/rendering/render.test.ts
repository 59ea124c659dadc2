import { readFileSync } from "node:fs";
import { basename } from "node:path";
import { expect, test } from "vitest";
import { errorCodes } from "@routeql/contract/error-codes";
import { paths } from "@routeql/contract/paths";
import { errorBody, quote, renderErrors } from "./errors-file.ts";
import { gatewaySettings as settings, renderGateway } from "../testing/gateway.ts";
import { configurationFiles } from "./render.ts";

// The files of metrics are tested by metrics-files.test.ts.
const { "metrics.conf": _conf, "metrics.js": _js, ...files } = renderGateway(settings);

test("equal settings produce equal files, and other settings change settings.conf alone", () => {
  expect(renderGateway(settings)).toMatchObject(files);
  const others = renderGateway({ ...settings, console: false, httpsPort: 8443, burst: 1, bodyLimitKilobytes: 1 });
  expect(Object.keys(files).filter((name) => others[name] !== files[name])).toEqual(["settings.conf"]);
});

test("every included file exists, and every file is included", () => {
  const included = Object.values(files).flatMap((content) =>
    [...content.matchAll(/^\s*(?:location [^{]+\{ )?include ([^;]+);/gm)].map(([, name]) => name),
  );
  const ofTheContainer = [
    "tls-groups",
    "workers",
    "connections",
    "engine-servers",
    "auth-sidecar-servers",
    "files-version",
    "listen-8080",
    "listen-8443",
    "listen-32000",
  ].map((name) => `/tmp/${name}.conf`);
  expect(new Set(["nginx.conf", "start.sh", "follow.sh", "addresses.sh", ...included])).toEqual(
    new Set([...ofTheContainer, ...Object.keys(files)]),
  );
});

test("static files reach the gateway unchanged", () => {
  const made = new Set([
    "addresses.sh",
    "settings.conf",
    "query-time.conf",
    "errors.conf",
    "master-key.conf",
    "proxy-master-key.conf",
    "gateway-key.conf",
  ]);
  const sources = new Map(configurationFiles().map((path) => [basename(path), readFileSync(path, "utf8")]));
  for (const [name, content] of Object.entries(files)) if (!made.has(name)) expect(content).toBe(sources.get(name));
});

test.each(["", "a;b", "a b", "$host", "a\n"])("rejects the gateway key %j, which nginx would read otherwise", (key) => {
  expect(() => renderGateway(settings, key)).toThrow("must hold only letters, digits");
});

test("the API's paths match the contract", () => {
  for (const path of Object.values(paths))
    expect(files[path === paths.health ? "health.conf" : "api.conf"]).toContain(`location = ${path} `);
});

test("one login per minute has no burst", () => {
  expect(renderGateway({ ...settings, loginRequestsPerMinutePerAddress: 1 })["settings.conf"]).toContain(
    "\nlimit_req zone=logins;\n",
  );
});

test.each([
  { publicHost: "a;b" },
  { publicHost: "a b" },
  { publicHost: "" },
  { engineAddress: "engine" },
  { engineAddress: "engine:8080/v1" },
  { sidecarAddress: "$host:80" },
  { corsOrigins: ["https://app.example.net/path"] },
  { corsOrigins: ["https://*.example.net"] },
  { corsOrigins: ['https://a"; }'] },
  { corsOrigins: ['app://a"; }'] },
  { corsOrigins: ["file://"] },
  { sessionVariables: ["X-Other"] },
  { sessionVariables: ["x-hasura-a;"] },
  { httpsPort: 0 },
  { httpsPort: 65_536 },
  { bodyLimitKilobytes: 1.5 },
  { burst: Number.NaN },
  { queryReplySeconds: 0 },
  { idleWebSocketSeconds: -1 },
])("rejects %o by name", (wrong) => {
  expect(() => renderGateway({ ...settings, ...wrong })).toThrow(Object.keys(wrong)[0]);
});

test("accepts origins that browsers send, also with an underscore", () => {
  const origins = ["https://my_app.example.net", "http://localhost:3000", "https://[2001:db8::1]:8443", "app://."];
  const rendered = renderGateway({ ...settings, corsOrigins: origins })["settings.conf"];
  for (const origin of origins) expect(rendered).toContain(`  "${origin}" $http_origin;`);
});

test("accepts an IPv6 address and a name with dots as hosts", () => {
  const rendered = renderGateway({
    ...settings,
    publicHost: "[2001:db8::1]",
    engineAddress: "engine.routeql.svc.cluster.local:8080",
  })["settings.conf"];
  expect(rendered).toContain("https://[2001:db8::1]");
});

test("reports all invalid settings at once", () => {
  expect(() => renderGateway({ ...settings, publicHost: "", burst: 0 })).toThrow(/publicHost.*burst/);
});

test("error pages have the status and text of the list", () => {
  const rendered = renderErrors();
  for (const code of [
    "malformed-request",
    "not-found",
    "method-not-allowed",
    "payload-too-large",
    "too-many-requests",
    "unavailable",
  ] as const) {
    expect(rendered).toContain(`return ${errorCodes[code].status} '${errorBody(code)}';`);
  }
});

test("quotes words, and rejects text that nginx cannot quote", () => {
  expect(quote("it's a \\")).toBe(String.raw`'it\'s a \\'`);
  expect(() => quote("$host")).toThrow("dollar");
});
