import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { readSettings } from "./settings.ts";

const roles = ["BOOTSTRAP", "OWNER", "ENGINE", "SIDECAR", "LOADER", "BACKUP", "METADATA"];
let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "routeql-settings-"));
});

afterEach(() => {
  rmSync(folder, { recursive: true });
});

/** An environment with every password. */
function environment(): Record<string, string> {
  const environment: Record<string, string> = { DATABASE_HOST: "database" };
  for (const role of roles) {
    environment[`${role}_PASSWORD_FILE`] = join(folder, role);
    writeFileSync(join(folder, role), `${role.toLowerCase()}-0123456789abcdef\n`);
  }
  return environment;
}

test("has defaults for port, name and wait, and strips a trailing newline of a password", () => {
  expect(readSettings(environment())).toMatchObject({
    host: "database",
    port: 5432,
    database: "routeql",
    waitSeconds: 60,
    bootstrap: { user: "postgres", password: "bootstrap-0123456789abcdef" },
    encryption: {},
    passwords: { engine: "engine-0123456789abcdef" },
  });
});

test("reads server, superuser and encryption from a URL in a file", () => {
  const { DATABASE_HOST: _host, BOOTSTRAP_PASSWORD_FILE: _password, ...rest } = environment();
  const url = (text: string): Record<string, string> => {
    writeFileSync(join(folder, "url"), `${text}\n`);
    return { ...rest, BOOTSTRAP_URL_FILE: join(folder, "url") };
  };
  expect(
    readSettings(url("postgres://root%40site:p%2Fw@db.example.net:6432/routes?sslmode=verify-full")),
  ).toMatchObject({
    host: "db.example.net",
    port: 6432,
    database: "routes",
    bootstrap: { user: "root@site", password: "p/w" },
    encryption: { sslmode: "verify-full" },
    waitSeconds: 60,
  });
  expect(readSettings(url("postgresql://root:pw@db/routes")).port).toBe(5432);
  for (const wrong of [
    "nothing",
    "redis://root:pw@db/routes",
    "postgres://db/routes",
    "postgres://root:secret@db/bad.name",
  ])
    expect(() => readSettings(url(wrong))).toThrow(
      /^The settings are not usable:\n {2}BOOTSTRAP_URL_FILE: the URL (is not usable: it must begin with|needs a user, a host and a database)/,
    );
});

test("reports all problems together and no password", () => {
  writeFileSync(join(folder, "short"), "secret");
  const wrong = {
    ...environment(),
    DATABASE_PORT: "0",
    DATABASE_NAME: "x;y",
    ENGINE_PASSWORD_FILE: join(folder, "short"),
    LOADER_PASSWORD_FILE: "",
  };
  const error = (() => {
    try {
      readSettings(wrong);
      return "";
    } catch (error) {
      return String(error);
    }
  })();
  for (const name of ["DATABASE_PORT", "DATABASE_NAME", "ENGINE_PASSWORD_FILE", "LOADER_PASSWORD_FILE: is not set"])
    expect(error).toContain(name);
  expect(error).not.toContain("secret");
});

test("reads the first administrator if one is given", () => {
  expect(readSettings(environment()).administrator).toBeUndefined();
  const given = { ...environment(), ADMIN_EMAIL: "admin@example.net" };
  expect(() => readSettings(given)).toThrow(/ADMIN_PASSWORD_FILE: is not set/);
  writeFileSync(join(folder, "first"), "the first password\n");
  const { administrator } = readSettings({ ...given, ADMIN_PASSWORD_FILE: join(folder, "first") });
  expect(administrator).toEqual({ email: "admin@example.net", password: "the first password" });
});

test("names a missing password file", () => {
  expect(() => readSettings({ ...environment(), BACKUP_PASSWORD_FILE: join(folder, "nothing") })).toThrow(
    /BACKUP_PASSWORD_FILE: the file cannot be read \(ENOENT\)/,
  );
});
