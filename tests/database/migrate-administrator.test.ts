import { randomBytes } from "node:crypto";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Client } from "pg";
import { DatabaseContainer, type StartedDatabaseContainer } from "../harness/containers/database-container.ts";
import { makeCertificate } from "../harness/certificate.ts";
import { image } from "../harness/containers/image.ts";
import { run } from "../harness/process.ts";
import { spring, trapsOf } from "./trap-statements.ts";

const roles = ["OWNER", "ENGINE", "SIDECAR", "LOADER", "BACKUP", "METADATA"];
const password = (role: string): string => `${role.toLowerCase()}-0123456789abcdef`;

/** A server whose administrator may create roles and databases but is no superuser, as at cloud providers. */
describe("the migrate job on an external database", () => {
  let database: StartedDatabaseContainer;
  let folder: string;
  const administrator = { name: "site admin", password: randomBytes(16).toString("hex") };

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "routeql-administrator-"));
    database = await new DatabaseContainer(await image("database")).withoutMigrations().start();
    await using superuser = await database.connect("bootstrap");
    await superuser.query(
      `create role "${administrator.name}" login createrole createdb password '${administrator.password}'`,
    );
    for (const role of roles) await writeFile(join(folder, role), password(role));
  });

  afterAll(async () => {
    await database.stop();
    await rm(folder, { recursive: true });
  });

  async function migrate(
    name: string,
    parameters: Record<string, string> = {},
    passwords = folder,
    login = administrator,
  ): Promise<{ code: number; stdout: string; stderr: string }> {
    const url = new URL(`postgres://${database.getHost()}:${database.getPort()}/${name}`);
    url.username = encodeURIComponent(login.name);
    url.password = login.password;
    for (const [key, value] of Object.entries(parameters)) url.searchParams.set(key, value);
    await writeFile(join(folder, "URL"), url.href);
    const files = Object.fromEntries(roles.map((role) => [`${role}_PASSWORD_FILE`, join(passwords, role)]));
    const env = { PATH: process.env["PATH"], BOOTSTRAP_URL_FILE: join(folder, "URL"), ...files };
    return run(process.execPath, ["database/migrate/main.ts"], { env });
  }

  /** Runs SQL as superuser, on a connection that is closed before a test may stop the server. */
  async function query(statement: string): Promise<void> {
    await using superuser = await database.connect("bootstrap");
    await superuser.query(statement);
  }

  async function ask(name: string, role: string, statement: string): Promise<unknown> {
    const client = new Client({
      host: database.getHost(),
      port: database.getPort(),
      database: name,
      user: `routeql_${role.toLowerCase()}`,
      password: password(role),
    });
    await client.connect();
    try {
      // Several statements give several results.
      return [await client.query<{ answer: unknown }>(statement)].flat().at(-1)?.rows[0]?.answer;
    } finally {
      await client.end();
    }
  }

  describe("the owner's traps reach no administrator", { timeout: 120_000 }, () => {
    test.each(Object.entries(trapsOf("trapped")))("%s", async (_, trap) => {
      await query("drop database if exists trapped");
      expect((await migrate("trapped")).code).toBe(0);
      await ask("trapped", "OWNER", `${spring} ${trap}`);
      // A trap may prevent a migration but not lead it.
      await migrate("trapped");
      await using superuser = await database.connect("bootstrap");
      expect((await superuser.query("select rolname from pg_roles where rolname = 'sprung'")).rows).toEqual([]);
    });
  });

  test("an administrator without superuser rights is enough, for a missing database", async () => {
    const { code, stdout, stderr } = await migrate("Fly-db");
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toContain("migrate: created database Fly-db");
    expect(stdout).not.toContain(administrator.password);
    expect(await ask("Fly-db", "ENGINE", "select count(*)::int as answer from view_hijacks")).toBe(0);
    expect(await ask("Fly-db", "SIDECAR", "select count(*)::int as answer from auth.users")).toBe(0);
    expect(
      await ask(
        "Fly-db",
        "METADATA",
        "select pg_get_userbyid(nspowner) as answer from pg_namespace where nspname = 'hdb_catalog'",
      ),
    ).toBe("routeql_metadata");
  });

  test("a second run succeeds and sets only the passwords, which it cannot compare", async () => {
    const { code, stdout } = await migrate("Fly-db");
    expect(code).toBe(0);
    const other = stdout
      .split("\n")
      .filter((line) => line !== "" && !/set the password of routeql_|done, 6 changes/.test(line));
    expect(other).toEqual([]);
  });

  test("encrypts and verifies every connection with an authority", async () => {
    const [own, other] = [
      await makeCertificate("ecdsa", database.getHost()),
      await makeCertificate("ecdsa", database.getHost()),
    ];
    await writeFile(join(folder, "own.pem"), own.certificate);
    await writeFile(join(folder, "other.pem"), other.certificate);
    for (const [file, content] of [
      ["server.key", own.privateKey],
      ["server.crt", own.certificate],
    ] as const) {
      const { exitCode } = await database.exec(["bash", "-c", `umask 077; printf %s '${content}' >"$PGDATA/${file}"`]);
      expect(exitCode).toBe(0);
    }
    await query("alter system set ssl = on");
    await query("select pg_reload_conf()");
    const checked = (file: string) => migrate("Fly-db", { sslmode: "verify-full", sslrootcert: join(folder, file) });
    // The server applies its new configuration a moment later.
    await expect.poll(async () => (await checked("own.pem")).stderr, { timeout: 50_000 }).toBe("");
    const { code, stdout, stderr } = await checked("other.pem");
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(stderr).toContain("databaseCaFile must hold the authority that signed the certificate of the server");
    expect(stderr).not.toContain("--use-system-ca");
    expect(stderr).not.toContain(administrator.password);
  });

  test("rejects another stack on the same server before it changes a password", async () => {
    await mkdir(join(folder, "other"));
    for (const role of roles) await writeFile(join(folder, "other", role), `other-${password(role)}`);
    const { code, stdout, stderr } = await migrate("others", {}, join(folder, "other"));
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(stderr).toContain("The server has a database of another stack, Fly-db.");
    expect(await ask("Fly-db", "ENGINE", "select count(*)::int as answer from view_hijacks")).toBe(0);
    expect((await migrate("archive")).stdout).toContain("migrate: created database archive");
  });

  test.each(["an administrator", "a superuser, as on a cluster of CloudNativePG"])(
    "a function of the owner runs with no rights of %s",
    async (login) => {
      for (const statement of [
        "create schema if not exists trap",
        "grant usage on schema trap to public",
        `create or replace function trap.pg_get_userbyid(oid) returns name language plpgsql as $$ begin
           if (select rolcreaterole from pg_catalog.pg_roles where rolname operator(pg_catalog.=) current_user) then create role sprung; end if;
           return ''; end $$`,
        'alter database "Fly-db" set search_path = trap, pg_catalog',
      ])
        await ask("Fly-db", "OWNER", statement);
      const { code, stdout } =
        login === "an administrator"
          ? await migrate("Fly-db")
          : await migrate("Fly-db", {}, folder, { name: "postgres", password: database.getPassword("bootstrap") });
      expect(code).toBe(0);
      expect(stdout).toContain("migrate: reset the settings of database Fly-db");
      expect(
        await ask("Fly-db", "OWNER", "select count(*)::int as answer from pg_roles where rolname = 'sprung'"),
      ).toBe(0);
    },
  );

  test("no role has more privileges than on other servers, or is a member of another", async () => {
    const statement = `select array(select rolname::text from pg_roles where rolname ~ '^routeql_' and (rolsuper or rolcreatedb or rolcreaterole)
      union select m.member::regrole::text from pg_auth_members m where m.member::regrole::text ~ '^routeql_') as answer`;
    expect(await ask("Fly-db", "OWNER", statement)).toEqual([]);
  });
});
