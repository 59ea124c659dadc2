import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isOutdated, verifyPassword } from "@routeql/auth-sidecar/passwords/password-hash";
import { Client } from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { DatabaseContainer, type StartedDatabaseContainer } from "../harness/containers/database-container.ts";
import { image } from "../harness/containers/image.ts";
import { run } from "../harness/process.ts";
import { jsonRows } from "./support.ts";

const passwords: Record<string, string> = Object.fromEntries(
  ["OWNER", "ENGINE", "SIDECAR", "LOADER", "BACKUP", "METADATA"].map((role) => [
    role,
    `${role.toLowerCase()}-0123456789abcdef`,
  ]),
);

/** All catalogue entries that the job creates; passwords by their verifiers. */
const stateQuery = `
  select array(select row(rolname, rolcanlogin, rolsuper, rolconnlimit, rolpassword)::text from pg_authid where rolname !~ '^pg_' order by 1) as roles,
    array(select row(setrole::regrole, setconfig)::text from pg_db_role_setting order by 1) as settings,
    array(select row(datname, datdba::regrole, datacl)::text from pg_database order by 1) as databases,
    array(select row(c.oid, c.xmin, relnamespace::regnamespace, relname, relkind, relacl)::text from pg_class c
      where relnamespace::regnamespace::text in ('public', 'routing', 'auth', 'migrations') order by 1) as relations,
    array(select row(p.oid, p.xmin, proname, proacl)::text from pg_proc p
      where pronamespace::regnamespace::text in ('public', 'routing', 'auth') order by 1) as functions`;

describe("the migrate job", () => {
  let database: StartedDatabaseContainer;
  let folder: string;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "routeql-migrate-test-"));
    database = await new DatabaseContainer(await image("database")).withoutMigrations().start();
    await writeFile(join(folder, "BOOTSTRAP"), database.getPassword("bootstrap"));
    await write(passwords);
  });

  afterAll(async () => {
    await database.stop();
    await rm(folder, { recursive: true });
  });

  async function write(files: Record<string, string>): Promise<void> {
    for (const [role, password] of Object.entries(files)) await writeFile(join(folder, role), `${password}\n`);
  }

  async function migrate(
    changes: Record<string, string> = {},
  ): Promise<{ code: number; stdout: string; stderr: string }> {
    const env: Record<string, string | undefined> = {
      PATH: process.env["PATH"],
      DATABASE_HOST: database.getHost(),
      DATABASE_PORT: String(database.getPort()),
      DATABASE_NAME: "routeql",
      ...Object.fromEntries(
        ["BOOTSTRAP", ...Object.keys(passwords)].map((role) => [`${role}_PASSWORD_FILE`, join(folder, role)]),
      ),
      ...changes,
    };
    return run(process.execPath, ["database/migrate/main.ts"], { env });
  }

  async function state(): Promise<unknown> {
    await using client = await database.connect("bootstrap");
    return (await jsonRows(client, stateQuery))[0];
  }

  test("reports its actions, and shows no password", async () => {
    const { code, stdout, stderr } = await migrate();
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toContain("migrate: created role routeql_engine");
    expect(stdout).toMatch(/migrate: applied migration 0001_/);
    for (const password of Object.values(passwords)) expect(stdout).not.toContain(password);
  });

  test("changes nothing when it runs again", async () => {
    const before = await state();
    expect(await migrate()).toEqual({ code: 0, stdout: "migrate: everything was in place\n", stderr: "" });
    expect(await state()).toEqual(before);
  });

  test("also accepts the server and the superuser as a URL", async () => {
    const url = new URL(`postgres://postgres@${database.getHost()}:${database.getPort()}/routeql?sslmode=disable`);
    url.password = encodeURIComponent(database.getPassword("bootstrap"));
    await writeFile(join(folder, "URL"), url.href);
    const named = {
      DATABASE_HOST: "nowhere.invalid",
      BOOTSTRAP_PASSWORD_FILE: "/nowhere",
      BOOTSTRAP_URL_FILE: join(folder, "URL"),
    };
    expect(await migrate(named)).toEqual({ code: 0, stdout: "migrate: everything was in place\n", stderr: "" });
  });

  test("concurrent runs wait for each other and both succeed", async () => {
    const jobs = await Promise.all([migrate(), migrate()]);
    expect(jobs.map(({ code }) => code)).toEqual([0, 0]);
  });

  test("ASVS 6.3.2: creates the first administrator once, with a hash as the auth sidecar makes it", async () => {
    await using owner = await database.connect("bootstrap");
    await write({ ADMINISTRATOR: "an administrator's 1st password" });
    const given = { ADMIN_EMAIL: "Admin@Example.net", ADMIN_PASSWORD_FILE: join(folder, "ADMINISTRATOR") };
    expect((await migrate(given)).stdout).toBe(
      "migrate: created the first administrator, admin@example.net\nmigrate: done, 1 changes\n",
    );
    const users = await owner.query<{ email: string; role: string; hash: string }>(
      "select email, role, password_hash as hash from auth.users",
    );
    expect(users.rows).toMatchObject([{ email: "admin@example.net", role: "operator" }]);
    const hash = users.rows[0]?.hash ?? "";
    expect([
      await verifyPassword(hash, "an administrator's 1st password"),
      await verifyPassword(hash, "another password"),
      isOutdated(hash),
    ]).toEqual([true, false, false]);
    const events = await owner.query("select event, outcome from auth.audit_events");
    expect(events.rows).toEqual([{ event: "first-administrator", outcome: "success" }]);

    expect(await migrate({ ...given, ADMIN_EMAIL: "another@example.net" })).toEqual({
      code: 0,
      stdout: "migrate: everything was in place\n",
      stderr: "",
    });
    await owner.query("delete from auth.users; delete from auth.audit_events");
  });

  test("gives a role its new password and touches nothing else", async () => {
    await write({ ENGINE: "another-0123456789abcdef" });
    expect((await migrate()).stdout).toBe("migrate: set the password of routeql_engine\nmigrate: done, 1 changes\n");
    await write(passwords);
    expect((await migrate()).stdout).toContain("set the password of routeql_engine");
  });

  test("services change between two logins, and the password of the other one expires", async () => {
    const connect = async (user: string, password: string): Promise<Client> => {
      const url = new URL(database.getConnectionUri("engine"));
      [url.username, url.password] = [user, password];
      const client = new Client({ connectionString: url.href });
      await client.connect();
      return client;
    };
    const first = await connect("routeql_engine", passwords["ENGINE"]!);
    await write({ ENGINE: "second-0123456789abcdef" });
    const { code, stdout } = await migrate({ SECOND_LOGINS: "true" });
    expect(code).toBe(0);
    expect(stdout).toContain("limited the password of routeql_engine to 1 hour");
    const second = await connect("routeql_engine_2", "second-0123456789abcdef");
    const { rows } = await second.query(
      "select current_user as acts, session_user as login, current_setting('statement_timeout') as timeout from view_hijacks right join (select) one on true limit 1",
    );
    expect(rows).toEqual([{ acts: "routeql_engine", login: "routeql_engine_2", timeout: "30s" }]);
    await first.query("select from view_hijacks");
    await (await connect("routeql_engine", passwords["ENGINE"]!)).end();
    await Promise.all([first.end(), second.end()]);
    expect((await migrate({ SECOND_LOGINS: "true" })).stdout).toBe("migrate: everything was in place\n");

    await write(passwords);
    expect((await migrate()).stdout).toContain("limited the password of routeql_engine_2 to 1 hour");
    expect((await migrate()).stdout).toBe("migrate: everything was in place\n");
    await using superuser = await database.connect("bootstrap");
    await superuser.query("alter role routeql_engine_2 valid until '2020-01-01'");
    await expect(connect("routeql_engine_2", "second-0123456789abcdef")).rejects.toThrow("authentication failed");
  });

  test("takes over the superuser's rotated password", async () => {
    const before = database.getPassword("bootstrap");
    await write({ BOOTSTRAP: "next-0123456789abcdef", PREVIOUS: before });
    expect(await migrate()).toMatchObject({ code: 1 });
    const rotated = { PREVIOUS_BOOTSTRAP_PASSWORD_FILE: join(folder, "PREVIOUS") };
    expect((await migrate(rotated)).stdout).toContain("set the password of postgres");
    expect((await migrate(rotated)).stdout).toBe("migrate: everything was in place\n");
    await write({ BOOTSTRAP: before, PREVIOUS: "next-0123456789abcdef" });
    expect((await migrate(rotated)).stdout).toContain("set the password of postgres");
  });

  test("revokes manual grants", async () => {
    await using owner = await database.connect("bootstrap");
    await owner.query(
      "alter role routeql_engine createdb; grant select on routing.hijacks to routeql_engine; grant select on auth.users to public; grant routeql_owner to routeql_sidecar",
    );
    const before = await state();
    const { code, stdout } = await migrate();
    expect(code).toBe(0);
    expect(stdout).toContain("took extra rights from routeql_engine");
    expect(stdout).toContain("revoked routeql_owner from routeql_sidecar");
    expect(stdout).toContain("set the rights of each role");
    expect(await state()).not.toEqual(before);
    expect((await migrate()).stdout).toBe("migrate: everything was in place\n");
  });

  test("lets the roles of a cluster's operator connect where they need to", async () => {
    await using superuser = await database.connect("bootstrap");
    await superuser.query("create role cnpg_metrics_exporter login; create role streaming_replica login replication");
    expect((await migrate()).stdout).toContain("migrate: set the rights to connect to the databases");
    const { rows } = await superuser.query<{ role: string; databases: string[] }>(
      `select rolname as role, array_agg(datname::text order by datname) as databases from pg_roles, pg_database
       where rolname in ('cnpg_metrics_exporter', 'streaming_replica') and has_database_privilege(rolname, datname, 'connect') and datname <> 'template0'
       group by rolname order by rolname`,
    );
    expect(rows).toEqual([
      { role: "cnpg_metrics_exporter", databases: ["postgres", "routeql"] },
      { role: "streaming_replica", databases: ["postgres"] },
    ]);
    await superuser.query(
      "revoke connect on database postgres, routeql from cnpg_metrics_exporter, streaming_replica; drop role cnpg_metrics_exporter, streaming_replica",
    );
    expect((await migrate()).stdout).toBe("migrate: everything was in place\n");
  });

  test("the exporter's role reads statistics and backup times, and is dropped with its password", async () => {
    await write({ MONITOR: "monitor-0123456789abcdef" });
    const monitored = { MONITOR_PASSWORD_FILE: join(folder, "MONITOR") };
    const before = await state();
    expect((await migrate(monitored)).stdout).toContain("migrate: granted pg_monitor to routeql_monitor");
    expect((await migrate(monitored)).stdout).toBe("migrate: everything was in place\n");
    await using superuser = await database.connect("bootstrap");
    const { rows } = await superuser.query(
      `select pg_has_role('routeql_monitor', 'pg_read_all_stats', 'usage') as statistics,
         has_database_privilege('routeql_monitor', 'routeql', 'connect') as connects,
         array(select c.oid::regclass::text from pg_class c where relnamespace::regnamespace::text in ('public', 'routing', 'auth', 'migrations', 'hdb_catalog')
           and relkind in ('r', 'p', 'v', 'm') and has_any_column_privilege('routeql_monitor', c.oid, 'select, insert, update')) as tables`,
    );
    const tables = ["migrations.finished_runs", "migrations.schema_migrations"];
    expect(rows).toEqual([{ statistics: true, connects: true, tables }]);
    expect((await migrate()).stdout).toBe("migrate: dropped role routeql_monitor\nmigrate: done, 1 changes\n");
    expect(await state()).toEqual(before);
  });

  test.each([
    ["a wrong superuser password", { BOOTSTRAP_PASSWORD_FILE: "/proc/version" }, "refused the connection"],
    ["a missing server", { DATABASE_PORT: "1", DATABASE_WAIT_SECONDS: "1" }, "did not answer within 1 s"],
    [
      "a missing password file",
      { OWNER_PASSWORD_FILE: "/nowhere" },
      "OWNER_PASSWORD_FILE: the file cannot be read (ENOENT)",
    ],
  ])("ends with a clear error on %s", async (_, changes, message) => {
    const { code, stdout, stderr } = await migrate(changes);
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(stderr).toMatch(/^migrate: /);
    expect(stderr).toContain(message);
    expect(stderr).not.toMatch(/Linux version|0123456789abcdef/);
  });
});
