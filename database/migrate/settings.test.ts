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

/** An environment in which every password is there. */
function environment(): Record<string, string> {
  const environment: Record<string, string> = { DATABASE_HOST: "database" };
  for (const role of roles) {
    environment[`${role}_PASSWORD_FILE`] = join(folder, role);
    writeFileSync(join(folder, role), `${role.toLowerCase()}-0123456789abcdef\n`);
  }
  return environment;
}

test("port, name and waiting time have defaults, and a trailing newline is no part of a password", () => {
  expect(readSettings(environment())).toMatchObject({
    host: "database",
    port: 5432,
    database: "routeql",
    waitSeconds: 60,
    bootstrapPassword: "bootstrap-0123456789abcdef",
    passwords: { engine: "engine-0123456789abcdef" },
  });
});

test("everything that is wrong is said at once, and no password with it", () => {
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

test("a password file that is not there is named", () => {
  expect(() => readSettings({ ...environment(), BACKUP_PASSWORD_FILE: join(folder, "nothing") })).toThrow(
    /BACKUP_PASSWORD_FILE: ENOENT .*nothing/,
  );
});
