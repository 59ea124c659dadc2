import { afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { image } from "../harness/containers/image.ts";
import { Confined } from "./support/confined.ts";

const secret = "secrets/sessions-login";
const password = "Generated-Password+32/characters=";

let name: string;
let container: Confined;
beforeAll(async () => void (name = await image("sessions")));
beforeEach(() => {
  container = new Confined("/data", ["/tmp"]);
  container.put(secret, `sidecar-1 ${password}\n`);
});
afterEach(() => container[Symbol.asyncDispose]());

async function start(...options: string[]): Promise<void> {
  await container.start(name, ...options);
  await expect.poll(async () => (await container.exec("healthy")).code, { timeout: 30_000, interval: 200 }).toBe(0);
}

async function as(user: string, secretOfUser: string, ...words: string[]): Promise<string> {
  const valkey = ["env", `REDISCLI_AUTH=${secretOfUser}`, "valkey-cli", "--user", user];
  return (await container.exec(...valkey, ...words)).stdout.trim();
}

const command = (...words: string[]): Promise<string> => as("sidecar-1", password, ...words);

/** A command as the user of the health check. */
const keep = async (...words: string[]): Promise<string> =>
  as("keeper", (await container.exec("cat", "/tmp/keeper-password")).stdout, ...words);

/** Makes a file of the health check old. */
const age = (file: string, time: string) => container.exec("touch", "--date", time, file);

test("rejects every command without the password", async () => {
  await start();
  for (const words of [["ping"], ["get", "a"], ["acl", "list"]]) {
    expect((await container.exec("valkey-cli", ...words)).stdout).toContain("NOAUTH");
  }
  expect(await command("ping")).toBe("PONG");
});

test("data written a second ago survives a kill", async () => {
  await start();
  await command("set", "session:a", "alive");
  await new Promise((resolve) => setTimeout(resolve, 1500));
  await container.kill();
  await start();
  expect(await command("get", "session:a")).toBe("alive");
});

test("a full store rejects writes and deletes nothing", async () => {
  await start("--maxmemory", "3mb");
  await command("set", "session:a", "alive");
  await command("eval", "for i = 1, 2000 do redis.pcall('set', 'session:' .. i, string.rep('x', 2000)) end", "0");
  expect(await command("set", "session:another", "x".repeat(2000))).toContain("OOM");
  expect(await command("get", "session:a")).toBe("alive");
});

test("requires the new password after a change", async () => {
  await start();
  container.put(secret, "sidecar-1 another-generated-password");
  await start();
  expect(await command("ping")).toMatch(/WRONGPASS|NOAUTH/);
});

test("refuses commands that change the server or load code", async () => {
  await start();
  for (const words of [
    ["debug", "jmap"],
    ["module", "load", "/tmp/made-up.so"],
    ["config", "set", "dir", "/tmp"],
    ["config", "set", "enable-debug-command", "yes"],
  ])
    expect(await keep(...words), words.join(" ")).toMatch(/ERR|not allowed/);
});

test("the sidecar has its own commands and keys only", async () => {
  await start();
  for (const words of [
    ["acl", "setuser", "intruder", "on", ">word"],
    ["config", "get", "*"],
    ["get", "another"],
    ["eval", "return redis.call('get', 'another')", "0"],
    ["flushall"],
    ["keys", "*"],
    ["client", "list"],
  ])
    expect(await command(...words), words.join(" ")).toMatch(/NOPERM|ACL failure|can't access/);
});

/** The health check with another delivered login. */
async function healthyWith(login: string): Promise<void> {
  await container.exec("bash", "-c", `printf %s '${login}' >/tmp/login`);
  const { code, stdout, stderr } = await container.exec("env", "VALKEY_LOGIN_FILE=/tmp/login", "healthy");
  expect(code, stdout + stderr).toBe(0);
}

/** A connection of a user that stays open, until the container ends or the store closes it. */
function connected(user: string, secretOfUser: string): Promise<unknown> {
  const client = `sleep 60 | REDISCLI_AUTH=${secretOfUser} valkey-cli --user ${user}`;
  return container.exec("bash", "-c", client);
}

const users = async (): Promise<string[]> => (await keep("acl", "users")).split("\n").toSorted();

test("a rotation leaves no other user and no connection of a former one", async () => {
  await start();
  await keep("acl", "setuser", "intruder", "on", ">a-word-of-the-intruder", "~*", "+@all");
  const other = "another-generated-password";
  await healthyWith(`sidecar-2 ${other}`);
  // Both logins work while the sidecars are replaced.
  expect([await as("sidecar-2", other, "ping"), await command("ping")]).toEqual(["PONG", "PONG"]);
  const open = [connected("intruder", "a-word-of-the-intruder"), connected("sidecar-1", password)];
  for (const user of ["intruder", "sidecar-1"])
    await expect.poll(() => keep("client", "list"), { timeout: 20_000 }).toContain(`user=${user} `);
  await age("/tmp/former-login", "11 minutes ago");
  await healthyWith(`sidecar-2 ${other}`);
  expect(await users()).toEqual(["default", "keeper", "sidecar-2"]);
  expect(await keep("acl", "list")).toMatch(/^user default .*off/m);
  expect(await keep("client", "list")).not.toMatch(/user=(intruder|sidecar-1|default) /);
  expect(await command("ping")).toMatch(/WRONGPASS|NOAUTH/);
  expect(await as("sidecar-2", other, "ping")).toBe("PONG");
  await container.kill();
  await Promise.all(open);
});

test("the user of former sidecars closes when they are gone and a new one is connected", async () => {
  await start();
  const isOpen = async (): Promise<boolean> => (await as("default", password, "ping")) === "PONG";
  const later = async (): Promise<void> => {
    await age("/tmp/default-is-open", "2 minutes ago");
    expect((await container.exec("healthy")).code).toBe(0);
  };
  await later();
  expect(await isOpen()).toBe(true);
  const open = [connected("sidecar-1", password), connected("default", password)];
  for (const user of ["sidecar-1", "default"])
    await expect.poll(() => keep("client", "list"), { timeout: 20_000 }).toContain(`user=${user} `);
  await later();
  expect(await isOpen()).toBe(true);
  await keep("client", "kill", "user", "default");
  await later();
  expect(await isOpen()).toBe(false);
  await container.kill();
  await Promise.all(open);
});

test.each([
  "",
  "sidecar-1",
  "sidecar-1 short",
  "default a-password-that-is-long",
  "sidecar-1\na-password-that-is-long",
])("rejects the login %j", async (weak) => {
  container.put(secret, weak);
  await container.start(name);
  expect(await container.exitCode()).toBe(78);
});

test("the password is in no log, no argument and no environment", async () => {
  await start();
  const { stdout } = await container.exec("sh", "-c", "cat /proc/[0-9]*/cmdline /proc/[0-9]*/environ 2>/dev/null");
  expect(stdout).toContain("valkey-server");
  expect((await container.log()) + stdout).not.toContain("Generated-Password");
});
