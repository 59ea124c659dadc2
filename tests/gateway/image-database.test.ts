import { afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { image } from "../harness/containers/image.ts";
import { Confined } from "./support/confined.ts";

const data = "/var/lib/postgresql/data";
const secret = "secrets/bootstrap-password";
const password = 'it\'s a "password" $HOME of 36 characters';

let name: string;
let container: Confined;
beforeAll(async () => void (name = await image("database")));
beforeEach(() => {
  container = new Confined(data, ["/tmp", "/run/postgresql"], {
    POSTGRES_DB: "routeql",
    POSTGRES_PROCESS_MEGABYTES: "96",
  });
  container.put(secret, `${password}\n`);
});
afterEach(() => container[Symbol.asyncDispose]());

async function untilReady(): Promise<void> {
  await expect
    .poll(async () => (await container.exec("pg_isready", "-h", "127.0.0.1", "-U", "postgres", "-d", "routeql")).code, {
      timeout: 60_000,
      interval: 200,
    })
    .toBe(0);
}

async function sql(statement: string): Promise<string> {
  const { stdout, stderr } = await container.exec("psql", "--no-psqlrc", "-Atc", statement, "routeql");
  return (stdout + stderr).trim();
}

/** Whether the superuser can connect over the network with this password. */
async function admits(candidate: string): Promise<boolean> {
  const { code } = await container.exec(
    "env",
    `PGPASSWORD=${candidate}`,
    "psql",
    "-h",
    "127.0.0.1",
    "-U",
    "postgres",
    "-c",
    "select 1",
    "routeql",
  );
  return code === 0;
}

test("the first start creates a cluster with checksums, C.UTF-8 and passwords only", async () => {
  await container.start(name, "postgres", "-c", "shared_buffers=32MB");
  await untilReady();
  expect(
    await sql(
      "select current_setting('data_checksums'), current_setting('shared_buffers'), current_setting('listen_addresses')",
    ),
  ).toBe("on|32MB|*");
  expect(
    await sql(
      "select datlocprovider, datlocale, pg_encoding_to_char(encoding) from pg_database where datname = 'routeql'",
    ),
  ).toBe("b|C.UTF-8|UTF8");
  expect(await sql("select distinct auth_method from pg_hba_file_rules order by 1")).toBe("peer\nscram-sha-256");
  expect(await sql("select rolpassword like 'SCRAM-SHA-256$%' from pg_authid where rolname = 'postgres'")).toBe("t");
  expect([await admits(password), await admits("another password")]).toEqual([true, false]);
});

test("only a statement beyond the process memory limit fails, and the password stays secret", async () => {
  await container.start(name);
  await untilReady();
  const beside = sql("select pg_sleep(3), 'goes on'");
  expect(await sql("select length(repeat('x', 200000000))")).toContain("out of memory");
  expect(await beside).toBe("|goes on");
  expect(await sql("select length(repeat('x', 20000000))")).toBe("20000000");
  // In no log, no argument and no environment.
  const { stdout } = await container.exec("sh", "-c", "cat /proc/[0-9]*/cmdline /proc/[0-9]*/environ 2>/dev/null");
  expect(stdout).toContain("postgres");
  expect((await container.log()) + stdout).not.toContain("36 characters");
});

test("a new password in the file applies after the next start, even after a kill", async () => {
  await container.start(name);
  await untilReady();
  expect(await sql("create table kept as select 42 as answer")).toBe("SELECT 1");
  await container.kill();
  container.put(secret, "the second password of the deployment");
  await container.start(name);
  await untilReady();
  expect(await sql("select answer from kept")).toBe("42");
  expect([await admits("the second password of the deployment"), await admits(password)]).toEqual([true, false]);
});

test.each([
  [
    "during the creation of the cluster",
    `mkdir -p ${data}/initializing/base; echo 17 >${data}/initializing/PG_VERSION`,
  ],
  [
    "during its move into place",
    `mkdir -p ${data}/base ${data}/initializing/global; echo 17 >${data}/initializing/PG_VERSION`,
  ],
])("the next start repairs a first start that was interrupted %s", async (_, leave) => {
  await container.runOnce(name, leave);
  await container.start(name);
  await untilReady();
  expect(await sql("select current_database()")).toBe("routeql");
});

test("leaves a volume with foreign files untouched", async () => {
  await container.runOnce(name, `echo precious >${data}/file`);
  await container.start(name);
  expect(await container.exitCode()).toBe(78);
  expect(await container.log()).toContain("refusing to touch it");
  expect((await container.runOnce(name, `cat ${data}/file; ls ${data}`)).stdout).toBe("precious\nfile\n");
});

test.each(["", "short", "two lines of\nmore than enough characters"])(
  "rejects the password %j before it creates anything",
  async (weak) => {
    container.put(secret, weak);
    await container.start(name);
    expect(await container.exitCode()).toBe(78);
    expect((await container.runOnce(name, `ls -A ${data}`)).stdout).toBe("");
  },
);
