import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { Client } from "./client.ts";
import { freePorts } from "../harness/free-ports.ts";
import { startProcess } from "./sidecar-process.ts";
import { Stack } from "./stack.ts";

let stack: Stack;

beforeAll(async () => {
  stack = await Stack.start();
});

afterAll(async () => {
  await stack[Symbol.asyncDispose]();
});

beforeEach(async () => {
  await stack.sql.query("truncate auth.users, auth.signing_keys, auth.audit_events");
});

test("replicas that start together create one key", async () => {
  const replicas = await Promise.all(Array.from({ length: 4 }, () => stack.sidecar()));
  try {
    const { rows: keys } = await stack.sql.query("select * from auth.signing_keys");
    expect(keys).toHaveLength(1);
    const sets = await Promise.all(replicas.map(async ({ client }) => (await client.call("GET", "/jwks")).body));
    for (const set of sets) expect(set).toEqual(sets[0]);
    const { rows: events } = await stack.sql.query<{ event: string }>(
      "select event from auth.audit_events where event = 'key-created'",
    );
    expect(events.map(({ event }) => event)).toEqual(["key-created"]);
  } finally {
    await Promise.all(replicas.map((replica) => replica[Symbol.asyncDispose]()));
  }
});

test("the key outlives a restart", async () => {
  const key = async () => {
    await using running = await stack.sidecar();
    return (await running.client.call("GET", "/jwks")).body;
  };
  expect(await key()).toEqual(await key());
});

test("ASVS 13.3.1: the private key is in the database in no readable form", async () => {
  await using running = await stack.sidecar();
  const { body } = await running.client.call("GET", "/jwks");
  expect(JSON.stringify(body)).not.toContain('"d"');
  const { rows } = await stack.sql.query<{ private_key_encrypted: Buffer; public_jwk: object }>(
    "select private_key_encrypted, public_jwk from auth.signing_keys",
  );
  expect(rows[0]?.public_jwk).not.toHaveProperty("d");
  // The object identifier of an EC public key, which every PKCS#8 encoding contains.
  expect(rows[0]?.private_key_encrypted.toString("hex")).not.toContain("06072a8648ce3d0201");
});

test("a start with another KEY_ENCRYPTION_KEY withdraws the keys, and logins work", async () => {
  const user = await stack.addUser();
  const kids = async () =>
    (
      await stack.sql.query<{ id: string; retired: boolean }>(
        "select id, retired_at is not null as retired from auth.signing_keys order by created_at",
      )
    ).rows;
  await (await stack.sidecar())[Symbol.asyncDispose]();
  const [before] = await kids();
  await using running = await stack.sidecar({ KEY_ENCRYPTION_KEY: "8a3f0c6b5d7e9142aa07bb45cc89dd61" });
  expect((await running.client.singleStep(user.email, user.password)).status).toBe(200);
  expect(await kids()).toEqual([{ id: before!.id, retired: true }, expect.objectContaining({ retired: false })]);
  expect(running.log()).toContain(before!.id);
});

test("keys that disappear with a restore are replaced without a restart", async () => {
  await using running = await stack.sidecar({ KEY_REFRESH_SECONDS: "1" });
  const user = await stack.addUser();
  await stack.sql.query("update auth.signing_keys set retired_at = now(), private_key_encrypted = ''");
  const current = async () =>
    (await stack.sql.query("select from auth.signing_keys where retired_at is null")).rows.length;
  await expect.poll(current).toBe(1);
  await expect.poll(async () => (await running.client.singleStep(user.email, user.password)).status).toBe(200);
});

describe("the process", () => {
  test("ASVS 6.3.2, 13.2.3: rejects wrong settings and known secrets without quoting a value", async () => {
    const { child, output } = startProcess({
      SERVICE_API_KEY: "hunter2",
      KEY_ENCRYPTION_KEY: "changeme",
      DATABASE_URL: "mysql://x",
      TOKEN_LIFE_SECONDS: "30",
      TOKEN_LIFETIME: "1",
    });
    const [code] = (await once(child, "close")) as [number];
    expect(code).toBe(1);
    for (const name of [
      "SERVICE_API_KEY",
      "KEY_ENCRYPTION_KEY",
      "DATABASE_URL",
      "SESSIONS_URL",
      "TOKEN_LIFE_SECONDS",
      "TOKEN_LIFETIME",
    ])
      expect(output()).toContain(`${name}:`);
    expect(output()).not.toContain("hunter2");
    expect(output()).not.toContain("    at ");
  });

  test("exits with a reason beside a replica with another KEY_ENCRYPTION_KEY, and no key changes", async () => {
    await using running = await stack.sidecar();
    const keys = async () => (await running.client.call("GET", "/jwks")).body;
    const before = await keys();
    const { child, output } = startProcess({
      ...stack.environment,
      KEY_ENCRYPTION_KEY: "8a3f0c6b5d7e9142aa07bb45cc89dd61",
    });
    const [code] = (await once(child, "close")) as [number];
    expect(code).toBe(1);
    expect(output()).toContain("does not open with this KEY_ENCRYPTION_KEY");
    expect(await keys()).toEqual(before);
  });

  test.each([
    ["an exception", "throw new Error('unexpected failure')"],
    ["a rejection", "void Promise.reject(new Error('unexpected failure'))"],
  ])("ASVS 16.5.4: logs %s without a handler, and stops the service cleanly with 1", async (_title, failure) => {
    const failsOnSignal = encodeURIComponent(`process.on("SIGUSR2", () => { ${failure} })`);
    const { child, output } = startProcess({
      ...stack.environment,
      NODE_OPTIONS: `--import=data:text/javascript,${failsOnSignal}`,
    });
    while (!output().includes('"msg":"ready"')) await sleep(50);
    const closed = once(child, "close");
    child.kill("SIGUSR2");
    const [code] = (await closed) as [number];
    expect(code).toBe(1);
    const lines = output()
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as { level: string; msg: string; err?: { message: string } });
    expect(lines.find(({ level }) => level === "fatal")).toMatchObject({
      msg: "an unhandled error",
      err: { message: "unexpected failure" },
    });
    expect(lines.find(({ msg }) => msg === "stopping")).toMatchObject({ reason: "uncaughtException" });
  });

  test("on SIGTERM finishes running requests, accepts no new ones, and exits with 0", async () => {
    const user = await stack.addUser();
    const [port] = (await freePorts(1)) as [number];
    const { child, output } = startProcess({
      ...stack.environment,
      PORT: String(port),
      PASSWORD_HASH_CONCURRENCY: "1",
    });
    const client = new Client(`http://127.0.0.1:${port}`, stack.environment["SERVICE_API_KEY"]!);
    while (!output().includes('"msg":"ready"')) await sleep(50);
    while ((await client.call("GET", "/readyz")).status !== 200) await sleep(50);
    const logins = Array.from({ length: 8 }, () => client.singleStep(user.email, user.password));
    await logins[0];
    const closed = once(child, "close");
    child.kill("SIGTERM");
    const answers = await Promise.all(logins);
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
    const [code] = (await closed) as [number];
    expect(code).toBe(0);
    await expect(fetch(`${client.url}/livez`)).rejects.toThrow("fetch failed");
    for (const secret of [...stack.secrets, user.password, user.email]) expect(output()).not.toContain(secret);
  });

  test("serves metrics on their own port, without a name of a user", async () => {
    await using running = await stack.sidecar();
    const user = await stack.addUser();
    await running.client.singleStep(user.email, user.password);
    await running.client.singleStep(user.email, "wrong");
    await running.client.call("GET", "/somewhere-else");
    const text = await (await fetch(`http://127.0.0.1:${running.sidecar.metricsPort}/metrics`)).text();
    for (const gauge of [
      "auth_password_hashes_running",
      "auth_password_hashes_waiting",
      "auth_tokens_running",
      "auth_tokens_waiting",
    ]) {
      expect(text).toContain(`\n${gauge} 0\n`);
    }
    expect(text).toContain('auth_tokens_total{flow="single-step"} 1');
    expect(text).toContain('auth_logins_total{flow="single-step",outcome="success"} 1');
    expect(text).toContain('auth_logins_total{flow="single-step",outcome="wrong-credentials"} 1');
    expect(text).toContain('http_requests_total{method="other",route="other",status="404"} 1');
    expect(text).toContain("process_resident_memory_bytes");
    expect(text).not.toContain(user.email);
    expect((await fetch(`http://127.0.0.1:${running.sidecar.metricsPort}/`)).status).toBe(404);
  });
});
