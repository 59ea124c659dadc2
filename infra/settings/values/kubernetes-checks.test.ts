import { expect, test } from "vitest";
import { readAnnotations } from "./kubernetes-checks.ts";
import { parseValue } from "../reading/parse.ts";
import type { SettingName } from "../list.ts";

const cases: readonly (readonly [SettingName, readonly string[], readonly string[]])[] = [
  ["namespace", ["routes", "a-1"], ["Routes", "-a", "a.b", "a".repeat(64)]],
  ["clusterDomain", ["cluster.local", "k8s.example.net"], ["cluster..local", ".local", "a_b"]],
  [
    "imageRegistry",
    ["registry.example.net", "192.0.2.1:5000/kit", "ghcr.io/team/kit"],
    ["https://a", "a/", "a b", ":5000"],
  ],
  ["databaseStorage", ["1Gi", "500Mi", "2Ti"], ["1G", "0Gi", "big", "1 Gi"]],
  [
    "gatewayAnnotations",
    ["a=b", "service.example.net/kind=internal,b=1"],
    ["a", "=b", "a=b,,c=d", "a/b/c=d", "a/=b", `${"a".repeat(64)}=b`, "a=b,a=c"],
  ],
  [
    "nameServers",
    ["kube-system/k8s-app=kube-dns,169.254.20.10", "a/b.example/c=d:5353", "[fd00::a]:53"],
    ["kube-dns", "kube-system/k8s-app", "[fe80::1%eth0]:53", "a/b=c:0", "192.0.2.1:70000", "a/b=c d"],
  ],
  ["apiServerPorts", ["443", "443, 16443"], ["", "0", "https", "443 6443"]],
  [
    "consoleClients",
    ["none", "192.0.2.0/24,2001:db8::/32"],
    ["all", "192.0.2.1", "192.0.2.0/33", "fe80::1%eth0/64", "none,10.0.0.0/8"],
  ],
  ["ipFamilies", ["IPv6", "IPv4,IPv6"], ["ipv4", "IPv4,IPv4", "IPv4 IPv6"]],
  [
    "backupDestination",
    ["s3://backups", "s3://backups/routes/prod/"],
    ["backups", "s3://", "s3://a//b", "s3://backups//"],
  ],
  [
    "backupEndpoint",
    ["https://storage.example.net", "http://192.0.2.1:9000"],
    ["storage", "https://a/b", "https://a:65536", "https://a:0", "https://192.0.2.256"],
  ],
  ["feedUrl", ["wss://ris-live.example.net/v1/ws/?client=a,b"], ["https://a", "wss://a:65536"]],
  [
    "backupSchedule",
    ["0 0 2 * * *", "0 */30 * * * 1-5", "0 0 2,14 ? JAN-MAR SUN"],
    [
      "0 2 * * *",
      "daily",
      "0 0 25 * * *",
      "0 0 2 * * 7",
      "0 0 2 0 * *",
      "0 0 2 * 5-2 *",
      "0 0 2 * * 1-2-3",
      "0 0 2 */0 * *",
      "0 0  2 * * *",
    ],
  ],
  [
    "databaseUrl",
    ["postgres://root:pw@db/routes", "postgresql://r:p@192.0.2.1:6432/r?sslmode=require"],
    ["db", "postgres://db/routes", "postgres://root:pw@db", "postgres://root:pw@db/routes.old", "mysql://r:p@d/e"],
  ],
  [
    "sessionsUrl",
    ["redis://:pw@sessions", "rediss://user:pw@192.0.2.1:6380/1"],
    ["sessions", "redis://sessions", "http://:pw@a"],
  ],
];

test.each(cases.flatMap(([name, good]) => good.map((value) => [name, value] as const)))("%s may be %s", (name, value) =>
  expect(parseValue(name, value)).toEqual({ value }),
);

test.each(cases.flatMap(([name, , bad]) => bad.map((value) => [name, value] as const)))(
  "%s may not be %s",
  (name, value) => expect(parseValue(name, value)).toHaveProperty("problem"),
);

test("reports an invalid secret URL without quoting it", () => {
  for (const name of ["databaseUrl", "sessionsUrl"] as const)
    expect(JSON.stringify(parseValue(name, "mysql://root:hidden@db"))).not.toContain("hidden");
});

test("annotations may have spaces around them and equals signs in their values", () => {
  expect(readAnnotations("a=b, c=d=e")).toEqual({ a: "b", c: "d=e" });
  expect(readAnnotations(undefined)).toEqual({});
});
