import { afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { image } from "../harness/image.ts";
import { Confined } from "./support/confined.ts";

const secret = "secrets/sessions-password";
const password = "Generated-Password+32/characters=";

let name: string;
let container: Confined;
beforeAll(async () => void (name = await image("sessions")));
beforeEach(() => {
  container = new Confined("/data", ["/tmp"]);
  container.put(secret, `${password}\n`);
});
afterEach(() => container[Symbol.asyncDispose]());

async function start(...options: string[]): Promise<void> {
  await container.start(name, ...options);
  await expect.poll(async () => (await container.exec("healthy")).code, { timeout: 30_000, interval: 200 }).toBe(0);
}

async function command(...words: string[]): Promise<string> {
  return (await container.exec("env", `REDISCLI_AUTH=${password}`, "valkey-cli", ...words)).stdout.trim();
}

test("rejects every command without the password", async () => {
  await start();
  for (const words of [["ping"], ["get", "a"], ["acl", "list"]]) {
    expect((await container.exec("valkey-cli", ...words)).stdout).toContain("NOAUTH");
  }
  expect(await command("ping")).toBe("PONG");
});

test("data written a second ago survives a kill", async () => {
  await start();
  await command("set", "session", "alive");
  await new Promise((resolve) => setTimeout(resolve, 1500));
  await container.kill();
  await start();
  expect(await command("get", "session")).toBe("alive");
});

test("a full store rejects writes and deletes nothing", async () => {
  await start("--maxmemory", "3mb");
  await command("set", "session", "alive");
  await command("eval", "for i = 1, 2000 do redis.pcall('set', 'k' .. i, string.rep('x', 2000)) end", "0");
  expect(await command("set", "another", "x".repeat(2000))).toContain("OOM");
  expect(await command("get", "session")).toBe("alive");
});

test("requires the new password after a change", async () => {
  await start();
  container.put(secret, "another-generated-password");
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
    expect(await command(...words), words.join(" ")).toMatch(/ERR|not allowed/);
});

test.each(["", "short", 'quotes "in" the password', "two\nlines of more than enough"])(
  "rejects the password %j",
  async (weak) => {
    container.put(secret, weak);
    await container.start(name);
    expect(await container.exitCode()).toBe(78);
  },
);

test("the password is in no log, no argument and no environment", async () => {
  await start();
  const { stdout } = await container.exec("sh", "-c", "cat /proc/[0-9]*/cmdline /proc/[0-9]*/environ 2>/dev/null");
  expect(stdout).toContain("valkey-server");
  expect((await container.log()) + stdout).not.toContain("Generated-Password");
});
