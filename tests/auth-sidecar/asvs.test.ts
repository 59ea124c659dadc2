/**
 * Each item of OWASP ASVS 5.0 (ids of its `5.0/en`) that applies to the auth sidecar has a test with the item's id in its title: `ASVS
 * 6.3.8: …`. This list is the kit's promise: a removed title or a renamed suite fails here.
 */
import { globSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import { describe, expect, test } from "vitest";

const items: Readonly<Record<string, string>> = {
  "1.2.6": "LDAP filters and names are escaped",
  "4.1.3": "a client's X-Forwarded-For and X-Hasura-* override nothing",
  "6.1.1": "the throttle's documentation matches its limits",
  "6.2.8": "passwords are used exactly as sent",
  "6.2.9": "long passwords are accepted, up to a limit",
  "6.3.1": "the throttle counts per account and address",
  "6.3.2": "no default account, no default credential",
  "6.3.4": "all flows share throttle and hash path",
  "6.3.8": "unknown user and wrong password are indistinguishable",
  "6.8.1": "accounts of one provider cannot take over another's",
  "7.2.3": "session ids are random",
  "7.2.4": "a new session id at login; the old one is invalid",
  "7.3.1": "the sidecar enforces the idle limit",
  "7.3.2": "the sidecar enforces the absolute limit",
  "7.4.1": "logout ends the session at the server",
  "7.4.2": "a disabled or removed account loses its sessions",
  "7.4.3": "a changed password ends the sessions of its account",
  "7.4.5": "an operator can end sessions",
  "9.2.1": "tokens have their time of validity",
  "9.2.2": "tokens declare their type",
  "9.2.3": "tokens name their audience",
  "9.2.4": "tokens name their issuer",
  "11.5.1": "random values have at least 128 bits",
  "12.3.2": "connections to other services verify certificates",
  "13.1.4": "secrets and their rotation are documented",
  "13.2.3": "no default credential for other services",
  "13.3.1": "secrets are stored in no readable form",
  "13.3.4": "secrets expire and rotate",
  "13.4.2": "no debug mode, no stack trace",
  "13.4.4": "TRACE is not served",
  "13.4.5": "metrics and health are on no public port",
  "13.4.6": "no version is disclosed",
  "16.2.5": "logs mask secrets",
  "16.3.1": "authentication is logged",
  "16.5.1": "errors are generic",
  "16.5.4": "a last handler catches all unhandled errors",
};

const files = globSync("*.test.ts", { cwd: import.meta.dirname, exclude: ["asvs.test.ts"] });
const titles = files.flatMap((file) =>
  [...readFileSync(resolve(import.meta.dirname, file), "utf8").matchAll(/["'`](?<title>ASVS [^"'`]*)/g)].map(
    ({ groups }) => groups!["title"]!,
  ),
);
const ids = (title: string): string[] =>
  /^ASVS (?<list>\d+\.\d+\.\d+(?:, \d+\.\d+\.\d+)*):/.exec(title)?.groups!["list"]!.split(", ") ?? [];
const tested = new Set(titles.flatMap(ids));

describe("of OWASP ASVS 5.0", () => {
  test.each(Object.entries(items))("item %s has its test: %s", (id) => {
    expect([...tested]).toContain(id);
  });

  test("every item in a title is in the list", () => {
    expect([...tested].filter((id) => items[id] === undefined)).toEqual([]);
    expect(titles.filter((title) => ids(title).length === 0)).toEqual([]);
  });
});
