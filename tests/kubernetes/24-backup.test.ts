import { mkdtemp, readdir, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough, Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { Client } from "pg";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { backUpTo } from "@routeql/cli/database/backup";
import { openClientPrograms } from "@routeql/cli/database/client-programs";
import { RelaySocket } from "@routeql/cli/database/postgres-socket";
import { runProgram } from "@routeql/cli/place/programs";
import { openProgramsBeside } from "@routeql/cli/kubernetes/database/client-programs";
import { connectTo } from "@routeql/cli/kubernetes/connection/connect";
import { placeOf } from "@routeql/cli/kubernetes/place";
import { valuesOf } from "@routeql/cli/pulumi/outputs";
import { leftOut } from "../harness/run/left-out.ts";
import { database } from "../e2e/support/stack/database.ts";
import { keepDrill } from "../harness/figures/drills.ts";
import { millions, writeManyUpdates } from "../harness/figures/many-updates.ts";
import { administrator, login } from "../e2e/support/clients/sessions.ts";
import { node } from "./support/node.ts";
import { npmRun } from "./support/npm-run.ts";
import { namespace, stackName } from "./support/stack.ts";

const limit = { timeout: 240_000 };
/** Only the program's own jobs; with Hasura, one applies the metadata. */
const ownJobs = /^(job\.batch\/routeql-apply-metadata-[0-9a-f]+\n)?job\.batch\/routeql-migrate-[0-9a-f]+$/;
const silent = (): void => undefined;

let folder = "";
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "routeql-kubernetes-backup-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** Data of these tests in the database. */
async function contents(): Promise<unknown> {
  const owner = await database("owner");
  const { rows } = await owner.query(
    "select id, password_hash from auth.users where id like 'backup-%' union all select id, name from auth.organisations where id like 'backup-%' order by 1",
  );
  return rows;
}

test("npm run backup and restore recover the pod's database", limit, async () => {
  const owner = await database("owner");
  const sidecar = await database("sidecar");
  await sidecar.query(
    "insert into auth.users (id, email, name, password_hash, role) values ('backup-user', 'backup@example.net', 'N', 'hash', 'viewer')",
  );
  const before = await contents();
  expect(before).toEqual([{ id: "backup-user", password_hash: "hash" }]);

  const file = join(folder, "all.dump");
  const backup = await npmRun("backup", ["--to", file]);
  expect(backup.code, backup.stderr).toBe(0);
  expect(backup.stdout).toContain(`${file}: `);
  expect((await stat(file)).mode & 0o777).toBe(0o600);

  await owner.query("update auth.users set password_hash = 'another' where id = 'backup-user'");
  await owner.query("insert into auth.organisations (id, name) values ('backup-later', 'later')");
  const changed = await contents();
  const refused = await npmRun("restore", [file]);
  expect(refused.code).toBe(1);
  expect(refused.stderr).toContain("The database is not empty: it has ");
  expect(refused.stderr).toContain("--replace");
  expect(await contents()).toEqual(changed);

  const restore = await npmRun("restore", ["--replace", file]);
  expect(restore.code, restore.stderr).toBe(0);
  expect(restore.stdout).toContain(`The database of the stack ${stackName} now has the content of ${file}.\n`);
  expect(restore.stdout).toContain("Signing keys withdrawn");
  expect(restore.stdout).toContain(`Logins work: ${administrator.email}`);
  expect(await contents()).toEqual(before);
  expect((await login(administrator)).status).toBe(200);
  // The temporary migration job is deleted, and the program's own is unchanged.
  const jobs = await node.kubectl(["get", "jobs", `--namespace=${namespace}`, "--output=name"]);
  expect(jobs.trim()).toMatch(ownJobs);
  await owner.query("delete from auth.users where id = 'backup-user'");
});

test("restores updates from a backup within a measured time", { timeout: 3_600_000 }, async (context) => {
  context.skip(
    process.env["ROUTEQL_RESTORE_MILLIONS"] === undefined,
    leftOut("ROUTEQL_RESTORE_MILLIONS=1 measures it"),
  );
  const owner = await database("owner");
  const count = async (): Promise<number> =>
    Number((await owner.query("select count(*) from routing.bgp_updates")).rows[0].count);
  const before = await count();
  await writeManyUpdates((sql) => owner.query(sql));
  const file = join(folder, "many.dump");
  const run = (...args: [string, ...string[]]) => npmRun(args[0], args.slice(1), undefined, 3_000_000);
  expect(await run("backup", "--to", file)).toMatchObject({ code: 0 });
  await owner.query("delete from routing.bgp_updates where timestamp >= '2026-01-02'");
  const started = performance.now();
  const restore = await run("restore", "--replace", file);
  const seconds = ((performance.now() - started) / 1000).toFixed(0);
  expect(restore.code, restore.stderr).toBe(0);
  expect(await count()).toBe(before + millions * 1e6);
  if (millions >= 1) keepDrill("Kubernetes", `restore ${millions} million rows`, `${seconds} s`);
  await rm(file);
  await owner.query(
    "delete from routing.bgp_updates where peer_asn between 64400 and 64499 and service like 'ripe-ris|rrc%'",
  );
});

/** Seconds for which the dump would wait for its table; an earlier end is due to the closed connection. */
const lockWait = 60;

test("a backup whose connection ends leaves no file and no dump in the pod", limit, async () => {
  const owner = await database("owner");
  const sidecar = await database("sidecar");
  const dumps = async (): Promise<number> => {
    const { rows } = await sidecar.query(
      "select count(*)::integer as number from pg_stat_activity where usename = 'routeql_backup'",
    );
    return (rows as { number: number }[])[0]!.number;
  };
  const stop = new AbortController();
  await using programs = await openClientPrograms(stackName, stop.signal);
  await owner.query("begin; lock table routing.configured_prefixes in access exclusive mode");
  try {
    const backup = backUpTo(programs, join(folder, "never.dump"), silent);
    const ended = expect(backup).rejects.toThrow("given up");
    // The dump, and the session that blocks changes of partitions meanwhile.
    await vi.waitUntil(async () => (await dumps()) === 2, { timeout: 60_000, interval: 200 });
    stop.abort(new Error("given up"));
    const began = Date.now();
    await ended;
    while ((await dumps()) > 0) {
      expect((Date.now() - began) / 1000).toBeLessThan(lockWait - 10);
      await sleep(200);
    }
  } finally {
    await owner.query("rollback");
  }
  expect(await readdir(folder)).toEqual(["all.dump"]);
});

test("reports why a program failed before it read all of its input", limit, async () => {
  await using programs = await openClientPrograms(stackName);
  const script = function* (): Generator<Buffer> {
    yield Buffer.from("select nothing;\n");
    for (let megabyte = 0; megabyte < 16; megabyte++) yield Buffer.alloc(1024 * 1024, " ");
  };
  const psql = ["psql", "--no-psqlrc", "--set=ON_ERROR_STOP=1", "--file=-"];
  const ended = runProgram(
    programs,
    "owner",
    psql,
    { input: Readable.from(script()), output: new PassThrough().resume() },
    "The script",
  );
  await expect(ended).rejects.toMatchObject({
    message: "The script failed (psql ended with 3)",
    lastLines: [expect.stringContaining('column "nothing" does not exist'), expect.anything(), expect.anything()],
  });
});

test("commands reach an external database from temporary pods", limit, async () => {
  // The stack's own database acts as the external one: the code path is the same.
  const place = (await placeOf(stackName))!;
  const [connection, values] = await Promise.all([connectTo(place, stackName), valuesOf(stackName)]);
  {
    await using programs = await openProgramsBeside(connection, place, values);
    const output = new PassThrough();
    await runProgram(programs, "backup", ["psql", "-Atc", "select current_user"], { output }, "The query");
    expect(await text(output.end())).toBe("routeql_backup\n");
    const socket = new RelaySocket(programs.as("loader"));
    const client = new Client({
      stream: () => socket,
      user: "routeql_loader",
      password: values.databasePasswords.loader,
      database: "routeql",
    });
    await client.connect();
    expect((await client.query("select current_user as name")).rows).toEqual([{ name: "routeql_loader" }]);
    await client.end();
    const specs = await node.get<{ items: { metadata: { name: string }; spec: object }[] }>(
      "pods",
      `--namespace=${namespace}`,
      "--selector=app.kubernetes.io/name=migrate",
      "--field-selector=status.phase=Running",
    );
    expect(specs.items.map(({ metadata }) => metadata.name.split("-")[0])).toEqual(["clients"]);
    expect(JSON.stringify(specs.items.map(({ spec }) => spec))).not.toContain("migrate-secrets");
  }
  expect((await node.kubectl(["get", "jobs", `--namespace=${namespace}`, "--output=name"])).trim()).toMatch(ownJobs);
});

/** A kubeconfig of a user that may only read pods. */
async function onlooker(): Promise<string> {
  const scope = `--namespace=${namespace}`;
  await node.kubectl(["create", "serviceaccount", "onlooker", scope]);
  await node.kubectl(["create", "role", "onlooker", "--verb=get,list", "--resource=pods", scope]);
  await node.kubectl([
    "create",
    "rolebinding",
    "onlooker",
    "--role=onlooker",
    `--serviceaccount=${namespace}:onlooker`,
    scope,
  ]);
  const token = (await node.kubectl(["create", "token", "onlooker", scope])).trim();
  const config = JSON.parse(await node.kubectl(["config", "view", "--raw", "--output=json"])) as {
    users: object[];
    contexts: { context: object }[];
  };
  const [context] = config.contexts;
  const file = join(folder, "onlooker.json");
  await writeFile(
    file,
    JSON.stringify({
      ...config,
      users: [{ name: "onlooker", user: { token } }],
      contexts: [{ ...context, context: { ...context!.context, user: "onlooker" } }],
    }),
    { mode: 0o600 },
  );
  return file;
}

test("names the missing permission of a user who may not run programs in pods", limit, async () => {
  const config = await onlooker();
  try {
    vi.stubEnv("KUBECONFIG", config);
    await using programs = await openClientPrograms(stackName);
    await expect(backUpTo(programs, join(folder, "refused.dump"), silent)).rejects.toMatchObject({
      message: expect.stringMatching(
        /^The cluster denies this user a permission: pods "database-0" is forbidden: .*cannot (get|create) resource "pods\/exec"/,
      ),
      remedy: expect.stringContaining(`it needs get and create of pods/exec in the namespace ${namespace}`),
    });
    expect(await readdir(folder)).not.toContain("refused.dump");
  } finally {
    await node.kubectl([
      "delete",
      "rolebinding/onlooker",
      "role/onlooker",
      "serviceaccount/onlooker",
      `--namespace=${namespace}`,
    ]);
  }
});
