import { spawn } from "node:child_process";
import { cp, mkdtemp, readFile, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { chromium } from "playwright-core";
import { createServer } from "vite";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  chromiumAbsent,
  chromiumEnvironment,
  chromiumFlags,
  chromiumPath,
  NetworkChanges,
} from "../harness/browser.ts";
import { run } from "../harness/process.ts";
import { type Account, makeAccount } from "./support/clients/accounts.ts";
import { done } from "./support/stack/administer.ts";
import { loadDemo } from "./support/data/data.ts";
import { database } from "./support/stack/database.ts";
import { loadLines } from "./support/data/load-lines.ts";
import { pageOrigin } from "./support/stack/own-stack.ts";
import { accessToken, singleStep } from "./support/clients/sessions.ts";
import { announcement } from "./support/data/small-world.ts";
import { stack } from "./support/stack/stack.ts";

const repository = resolve(import.meta.dirname, "../..");
const samples = join(repository, "docs/clients/samples");
/** Packages of the Python samples. */
const pythonPackages = ["gql[httpx,websockets]==4.4.0", "pandas==3.1.1"];

let account: Account;
let folder: string;
let environment: NodeJS.ProcessEnv;

beforeAll(async () => {
  await loadDemo();
  account = await makeAccount("viewer");
  folder = await mkdtemp(join(tmpdir(), "routeql-samples-"));
  environment = {
    PATH: process.env["PATH"],
    HOME: folder,
    ROUTEQL_URL: stack.url,
    ROUTEQL_CA_FILE: stack.caFile,
    NODE_EXTRA_CA_CERTS: stack.caFile,
    PYTHONDONTWRITEBYTECODE: "1",
    ROUTEQL_USER: account.email,
    ROUTEQL_PASSWORD: account.password,
  };
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** Runs a sample until its output contains all these texts in order; `after` runs after the first of them. */
async function expectOutput(
  command: string,
  arguments_: readonly string[],
  texts: readonly string[],
  after: () => Promise<unknown> = async () => undefined,
): Promise<void> {
  const child = spawn(command, arguments_, { cwd: samples, env: environment, stdio: ["ignore", "pipe", "pipe"] });
  let output = "";
  let errors = "";
  child.stdout.on("data", (data: Buffer) => void (output += data.toString()));
  child.stderr.on("data", (data: Buffer) => void (errors += data.toString()));
  try {
    for (const [index, text] of texts.entries()) {
      await expect.poll(() => output + (child.exitCode === null ? "" : errors), { timeout: 60_000 }).toContain(text);
      if (index === 0) await after();
    }
  } finally {
    child.kill();
  }
}

const newUpdate = (prefix: string) => () => loadLines([announcement({ prefix }).text]);

describe("Clients: the samples of docs/clients", () => {
  test("curl.sh prints hijacks", async () => {
    const { code, stdout, stderr } = await run("sh", [join(samples, "curl.sh")], { env: environment });
    expect([code, stderr]).toEqual([0, ""]);
    expect((JSON.parse(stdout) as { data: { view_hijacks: unknown[] } }).data.view_hijacks).toHaveLength(3);
  });

  test("curl.sh and session.sh log in with quotation marks and backslashes in the password", async () => {
    const email = `quoted-${Date.now()}@example.net`;
    const password = String.raw`a "long" pass\word \" of letters`;
    await done(["users", "add", email, "--role", "viewer"], `${password}\n`);
    for (const script of ["curl.sh", "session.sh"]) {
      const env = {
        ...environment,
        SERVICE_API_KEY: stack.serviceApiKey,
        ROUTEQL_USER: email,
        ROUTEQL_PASSWORD: password,
      };
      const { code, stdout, stderr } = await run("sh", [join(samples, script)], { env });
      expect([code, stderr]).toEqual([0, ""]);
      expect(stdout).toContain('{"data":{');
    }
  });

  test("session.sh logs in, queries and logs out", async () => {
    const env = { ...environment, SERVICE_API_KEY: stack.serviceApiKey };
    const { code, stdout, stderr } = await run("sh", [join(samples, "session.sh")], { env });
    expect([code, stderr]).toEqual([0, ""]);
    expect(stdout).toMatch(/^{"user":{.*"sessionId":".{43}"}}{"data":{"view_bgpupdates":\[{.*}\]}}{}$/);
  });

  test("live.mjs prints updates, and new ones as they arrive", () =>
    expectOutput(
      process.execPath,
      ["live.mjs"],
      ['{"view_bgpupdates":[', "198.18.4.0/24"],
      newUpdate("198.18.4.0/24"),
    ));

  test("live.mjs continues with a new token after a change of the role", { timeout: 120_000 }, async () => {
    const changed = await makeAccount("viewer");
    const env = { ...environment, ROUTEQL_USER: changed.email, ROUTEQL_PASSWORD: changed.password };
    const child = spawn(process.execPath, ["live.mjs"], { cwd: samples, env });
    const output = { text: "", errors: "" };
    child.stdout.on("data", (data: Buffer) => void (output.text += data.toString()));
    child.stderr.on("data", (data: Buffer) => void (output.errors += data.toString()));
    try {
      await expect.poll(() => output.text, { timeout: 60_000 }).toContain('{"view_bgpupdates":[');
      await done(["users", "role", changed.email, "analyst"]);
      await expect.poll(() => output.errors, { timeout: 30_000 }).toContain("closed with 4403");
      await newUpdate("198.18.9.0/24")();
      await expect.poll(() => output.text, { timeout: 30_000 }).toContain("198.18.9.0/24");
    } finally {
      child.kill();
    }
  });

  test("follow.mjs prints the rows of a stream", () =>
    expectOutput(process.execPath, ["follow.mjs"], ['{"position":', '"timestamp":"2026-01-01T00:']));

  test("apollo.mjs queries and subscribes", () =>
    expectOutput(
      process.execPath,
      ["apollo.mjs"],
      ['query [{"__typename":"view_hijacks"', "subscription {", "198.18.5.0/24"],
      newUpdate("198.18.5.0/24"),
    ));

  test("urql.mjs queries and subscribes", () =>
    expectOutput(
      process.execPath,
      ["urql.mjs"],
      ['query [{"key":', "subscription {", "198.18.6.0/24"],
      newUpdate("198.18.6.0/24"),
    ));

  test("flags.mjs sets a flag and prints the change of its live query", async () => {
    const operator = await makeAccount("operator");
    const { rows } = await (
      await database("owner")
    ).query<{ key: string }>("select key from view_hijacks where active limit 1");
    const { code, stdout, stderr } = await run(process.execPath, [join(samples, "flags.mjs"), rows[0]?.key ?? ""], {
      cwd: samples,
      env: { ...environment, ROUTEQL_USER: operator.email, ROUTEQL_PASSWORD: operator.password },
    });
    expect([code, stderr]).toEqual([0, ""]);
    expect(stdout).toMatch(/"active":true,"ignored":false.*\n.*"active":false,"ignored":true,"seen":true/);
    await (
      await database("owner")
    ).query("update routing.hijacks set ignored = false, seen = false where key = $1", [rows[0]?.key]);
  });

  test("codegen creates types without any", async () => {
    const target = join(folder, "codegen");
    await cp(join(samples, "codegen"), target, { recursive: true });
    await symlink(join(repository, "node_modules"), join(folder, "node_modules"));
    const token = accessToken(await singleStep(account));
    const { code, stdout, stderr } = await run(
      process.execPath,
      [join(repository, "node_modules/@graphql-codegen/cli/cjs/bin.js"), "--config", "codegen.mjs"],
      { cwd: target, env: { ...environment, ROUTEQL_TOKEN: token } },
    );
    expect(code, stdout + stderr).toBe(0);
    const generated = await readFile(join(target, "generated/graphql.ts"), "utf8");
    const result = /export type LatestUpdatesQuery = .*/.exec(generated)?.[0] ?? "";
    for (const field of ["timestamp: string", "prefix: string", "origin_as: number", "as_path: Array<number>"])
      expect.soft(result).toContain(field);
    expect(generated).not.toMatch(/: any\b/);
  });

  describe("in Python", () => {
    let python: string;
    beforeAll(async () => {
      const environmentFolder = join(folder, "python");
      const made = await run("python3", ["-m", "venv", environmentFolder]);
      expect(made.code, made.stderr).toBe(0);
      python = join(environmentFolder, "bin/python");
      const installed = await run(python, ["-m", "pip", "install", "--quiet", ...pythonPackages]);
      expect(installed.code, installed.stderr).toBe(0);
    });

    test("latest.py checks its queries against the schema, queries and subscribes", () =>
      expectOutput(
        python,
        ["latest.py"],
        ["query [{'key':", "subscription [{", "198.18.7.0/24"],
        newUpdate("198.18.7.0/24"),
      ));

    test("export.py writes every update of a period once, with any page size", async () => {
      const period = ["2026-01-01T00:00:00", "2026-01-01T00:01:00"];
      const rows: string[] = [];
      for (const page of ["100", "7"]) {
        const file = join(folder, `updates-${page}.csv`);
        const { code, stdout, stderr } = await run(python, [join(samples, "export.py"), ...period, file], {
          env: { ...environment, ROUTEQL_PAGE: page },
        });
        expect(code, stderr).toBe(0);
        const text = await readFile(file, "utf8");
        rows.push(text);
        expect(stdout).toContain(`${text.trim().split("\n").length - 1} updates`);
      }
      expect(rows[1]).toBe(rows[0]);
      expect(rows[0]?.split("\n").length).toBeGreaterThan(150);
    });

    test("notebook.py creates a data frame", async () => {
      const { code, stdout, stderr } = await run(python, [join(samples, "notebook.py")], {
        env: environment,
        cwd: samples,
      });
      expect(code, stderr).toBe(0);
      expect(stdout).toContain("origin_as");
    });
  });
});

const networkChanges = new NetworkChanges();

describe("Clients: a browser application on another origin", { retry: networkChanges.retry }, () => {
  const absent = chromiumAbsent();
  const socketFlags = [
    "--ignore-certificate-errors",
    "--disable-features=LocalNetworkAccessChecks,LocalNetworkAccessChecksWebSockets",
  ];

  async function serve(port: number) {
    process.env["VITE_ROUTEQL_URL"] = stack.url;
    const server = await createServer({
      root: join(samples, "browser"),
      cacheDir: join(folder, "vite"),
      configFile: false,
      logLevel: "error",
      server: { port, strictPort: true, host: "localhost" },
    });
    await server.listen();
    return server;
  }

  test.skipIf(absent !== undefined)("logs in and shows live updates from an allowed origin", async () => {
    await using resources = new AsyncDisposableStack();
    const server = await serve(Number(new URL(pageOrigin).port));
    resources.defer(() => server.close());
    const browser = await chromium.launch({
      executablePath: chromiumPath,
      env: chromiumEnvironment(),
      args: [...chromiumFlags, ...socketFlags],
    });
    resources.defer(() => browser.close());
    const page = await (await browser.newContext({ ignoreHTTPSErrors: true })).newPage();
    networkChanges.watch(page);
    await page.goto(pageOrigin);
    await page.getByPlaceholder("E-mail").fill(account.email);
    await page.getByPlaceholder("Password").fill(account.password);
    await page.getByRole("button").click();
    await expect.poll(() => page.locator("#status").textContent(), { timeout: 30_000 }).toBe("live");
    await newUpdate("198.18.8.0/24")();
    await expect.poll(() => page.locator("#updates").textContent(), { timeout: 30_000 }).toContain("198.18.8.0/24");
  });

  test.skipIf(absent !== undefined)(
    "is refused on an origin that the setting does not list, over HTTP and WebSocket",
    async () => {
      await using resources = new AsyncDisposableStack();
      const server = await serve(5174);
      resources.defer(() => server.close());
      const browser = await chromium.launch({
        executablePath: chromiumPath,
        env: chromiumEnvironment(),
        args: [...chromiumFlags, ...socketFlags],
      });
      resources.defer(() => browser.close());
      const page = await (await browser.newContext({ ignoreHTTPSErrors: true })).newPage();
      networkChanges.watch(page);
      await page.goto("http://localhost:5174");
      const socket = `new Promise((done) => { const socket = new WebSocket(${JSON.stringify(`${stack.url.replace("https:", "wss:")}/api/graphql`)}, "graphql-transport-ws"); socket.onopen = () => done("open"); socket.onerror = () => done("refused"); })`;
      const login = `fetch(${JSON.stringify(`${stack.url}/jwt/auth`)}, { method: "POST", headers: { "content-type": "application/json" }, body: "{}" }).then(() => "readable", () => "refused")`;
      expect(await page.evaluate(socket)).toBe("refused");
      expect(await page.evaluate(login)).toBe("refused");
    },
  );
});
