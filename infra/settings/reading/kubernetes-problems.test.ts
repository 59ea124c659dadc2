import { expect, test } from "vitest";
import { roles } from "@routeql/database/migrate/roles";
import { contradictions } from "./complete.ts";
import type { GivenSettings } from "../list.ts";
import { parseValue } from "./parse.ts";

const problems = (given: GivenSettings, stack = "prod"): string[] =>
  contradictions(given, stack).map(({ name, problem }) => `${name} ${problem}`);

const databaseUrl = "postgres://root:pw@db.example.net/routes";

test.each<[string, GivenSettings]>([
  ["nothing", {}],
  ["node ports in their range", { gatewayService: "NodePort", httpPort: 30_080, httpsPort: 30_443 }],
  ["one kind of certificate", { certificateIssuer: "letsencrypt" }],
  ["images pushed to a registry", { pushImages: true, imageRegistry: "registry.example.net" }],
  ["everything outside", { database: "external", databaseUrl, sessions: "external", sessionsUrl: "rediss://:pw@r" }],
  ["the namespace default that exists", { namespace: "default", createNamespace: false }],
  ["a cluster with backups", { database: "cloudnative-pg", backupDestination: "s3://backups" }],
])("%s is right", (_title, given) => expect(problems(given)).toEqual([]));

test.each<[GivenSettings, string]>([
  [
    { gatewayService: "NodePort", httpPort: 30_080 },
    "httpsPort must be from 30000 to 32767, as gatewayService is NodePort, not 443",
  ],
  [
    { consoleClients: "none", engineConsole: true },
    "consoleClients is none, but engineConsole is true, which needs the console port",
  ],
  [{ gatewayReplicas: 7 }, "gatewayReplicasMost must not be less than gatewayReplicas, 7"],
  [
    { certificateIssuer: "a", certificateSecret: "b" },
    "certificateSecret is one certificate too many: certificateIssuer is set too",
  ],
  [
    { tlsCertificateFile: "a", tlsPrivateKeyFile: "b", certificateSecret: "c" },
    "certificateSecret is one certificate too many: tlsCertificateFile is set too",
  ],
  [{ pushImages: true }, "imageRegistry is missing, but pushImages is true"],
  [
    { namespace: "kube-system", createNamespace: false },
    "namespace must not be kube-system: the stack's network policies deny the traffic of all other pods in its namespace",
  ],
  [
    { namespace: "default" },
    "namespace must not be default, unless createNamespace is false: the stack's network policies deny the traffic of all other pods in its namespace",
  ],
  [
    { pushImages: true, imageRegistry: "registry.example.net", hasuraImage: "routeql/engine" },
    "pushImages must be false with hasuraImage routeql/engine: the image of apply-metadata starts from one that only this machine has",
  ],
  [
    { engineReplicasMost: 6 },
    "engineReplicasMost makes 70 connections of the engine to the database (10 a pod, and one pod more during an update), but its role may have 60",
  ],
  [
    { sidecarReplicasMost: 4 },
    "sidecarReplicasMost makes 50 connections of the auth sidecar to the database (10 a pod, and one pod more during an update), but its role may have 40",
  ],
  [{ backupDestination: "s3://backups" }, "backupDestination is set, but database is single, not cloudnative-pg"],
  [
    { database: "cloudnative-pg", backupEndpoint: "https://s" },
    "backupDestination is missing, but backupEndpoint is set",
  ],
  [
    { database: "cloudnative-pg", backupDestination: "s3://b", backupAccessKeyId: "id" },
    "backupSecretAccessKey is missing, but backupAccessKeyId is set",
  ],
  [{ database: "external" }, "databaseUrl is missing, but database is external"],
  [{ databaseUrl }, "databaseUrl is set, but database is single, not external"],
  [{ databaseCaFile: "ca.pem" }, "databaseCaFile is set, but database is single, not external"],
  [{ sessionsCaFile: "ca.pem" }, "sessionsCaFile is set, but sessions is single, not external"],
  [{ sessions: "external" }, "sessionsUrl is missing, but sessions is external"],
])("%o is wrong", (given, problem) => expect(problems(given)).toEqual([problem]));

test.each<[GivenSettings, string]>([
  [{ certificateIssuer: "a" }, "certificateIssuer is set, but target is docker, not kubernetes"],
  [{ consoleClients: "none" }, "consoleClients is set, but target is docker, not kubernetes"],
  [{ database: "cloudnative-pg" }, "database is cloudnative-pg, but target is docker, not kubernetes"],
])("rejects %o on Docker", (given, problem) => expect(problems(given, "local")).toEqual([problem]));

test("rejects a pool above the role's connection limit on every target", () => {
  const most = roles.engine.connectionLimit - 1;
  expect(parseValue("enginePoolSize", String(most))).toEqual({ value: most });
  expect(parseValue("enginePoolSize", String(most + 1))).toEqual({
    problem: `must be a whole number from 1 to ${most}, not ${most + 1}`,
  });
});

test("accepts an external database on Docker and settings of an unused target", () => {
  expect(
    problems({ database: "external", databaseUrl, engineReplicas: 3, gatewayService: "NodePort" }, "local"),
  ).toEqual([]);
});
