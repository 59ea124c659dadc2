import { expect, test } from "vitest";
import type { GivenSettings } from "../list.ts";
import { containerProblems } from "./container-problems.ts";

const problems = (given: GivenSettings): string[] =>
  containerProblems(given).map(({ name, problem }) => `${name} ${problem}`);

test.each<[keyof GivenSettings, string, string]>([
  ["databaseUrl", "postgres://u:p@LOCALHOST/db", "LOCALHOST"],
  ["databaseUrl", "postgres://u:p@h/db?host=127.0.0.1", "127.0.0.1"],
  ["sessionsUrl", "rediss://:p@[::1]:6379", "::1"],
  ["ldapUrl", "ldaps://ldap.example.net, ldaps://localhost", "localhost"],
  ["backupEndpoint", "https://127.0.0.1:9000", "127.0.0.1"],
  ["alertWebhookUrl", "http://127.0.0.1:4000/notifier/", "127.0.0.1"],
  ["alertWatchdogUrl", "http://0.0.0.0/", "0.0.0.0"],
  ["alertSmtpHost", "localhost:25", "localhost"],
  ["traceEndpoint", "http://localhost:4318", "localhost"],
  ["feedUrl", "ws://localhost:8080/", "localhost"],
  ["feedExabgpAddress", "[::1]:5000", "::1"],
  ["feedVrpsAddress", "http://127.0.0.53:9556/json", "127.0.0.53"],
])("%s %s is the container itself", (name, value, host) =>
  expect(problems({ [name]: value })).toEqual([
    `${name} names ${host}, which in a container is the container itself: write a name or an address of this machine that containers reach`,
  ]),
);

test("accepts other addresses, of which a name may begin with localhost", () => {
  const others = { alertSmtpHost: "localhost.example.net:25", traceEndpoint: "http://192.0.2.7:4318" };
  expect(problems({ ...others, databaseUrl: "postgres://localhost:127.0.0.1@db.example.net/localhost" })).toEqual([]);
});
