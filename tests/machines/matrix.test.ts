/**
 * Typical machines of users. Each row starts a stack, queries it and removes it. A row that this machine cannot provide is skipped with
 * the reason.
 */
import { existsSync } from "node:fs";
import { chown, mkdtemp, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test, type TestContext } from "vitest";
import { daemonAddress, socketOf } from "@routeql/host/docker/daemon-address";
import { freePorts } from "../harness/free-ports.ts";
import { mustRun, run } from "../harness/process.ts";
import { newStackName } from "../harness/run/stack-name.ts";
import { checkOut, type Checkout, type CommandEnd, type StartOptions } from "../pulumi/support/checkout.ts";
import { contextTo } from "./support/context.ts";
import { refusingProxy, silentProxy, throughDeadEnd } from "./support/dead-end.ts";
import { startProxy } from "./support/proxy.ts";
import { type Absent, type RootlessDaemon, startRootlessDaemon } from "./support/rootless-daemon.ts";

const query = ["query", "{ view_hijacks(limit: 1) { key } }"] as const;
/** Starts the command like a user's shell, through the bootstrap. */
const shell = ["env"] as const;

async function clone(name?: string): Promise<Checkout> {
  const [http, https, console] = await freePorts(3);
  return checkOut(
    { HTTP_PORT: String(http), HTTPS_PORT: String(https), CONSOLE_PORT: String(console), ENGINE: "embedded" },
    undefined,
    name,
  );
}

async function succeeds(
  checkout: Checkout,
  stack: string,
  command: readonly string[],
  start: StartOptions,
): Promise<string> {
  const [name = "", ...args] = command;
  const { code, output } = await checkout.command(name, stack, args, start);
  expect(code, output).toBe(0);
  return output;
}

/** Starts a stack, loads updates, queries it and removes it with its data. Returns the output of the start. */
async function lives(checkout: Checkout, start: StartOptions): Promise<string> {
  const stack = newStackName("machine");
  try {
    const started = await succeeds(checkout, stack, ["up"], start);
    await succeeds(checkout, stack, ["load", "--demo", "10"], start);
    expect(await succeeds(checkout, stack, query, start)).toContain("view_hijacks");
    return started;
  } finally {
    await succeeds(checkout, stack, ["down", "--volumes"], start);
  }
}

/** Runs a command with a new stack name. */
async function timed(
  checkout: Checkout,
  name: string,
  start: StartOptions,
): Promise<CommandEnd & { readonly seconds: number }> {
  const started = Date.now();
  const end = await checkout.command(name, newStackName("machine"), [], start);
  return { ...end, seconds: (Date.now() - started) / 1000 };
}

const withoutDaemonVariables = {
  DOCKER_HOST: undefined,
  DOCKER_CONTEXT: undefined,
  DOCKER_CERT_PATH: undefined,
  DOCKER_TLS_VERIFY: undefined,
};
const patience = { timeout: 600_000 };

test("a user whose daemon is selected only by the current Docker context", patience, async () => {
  await using configuration = await contextTo(daemonAddress().endpoint);
  await using checkout = await clone();
  await lives(checkout, {
    through: shell,
    environment: { ...withoutDaemonVariables, DOCKER_CONFIG: configuration.folder },
  });
});

test("a shell with variables of other databases, repositories and Pulumi projects", patience, async () => {
  await using checkout = await clone();
  const environment = {
    PGSSLMODE: "require",
    PGOPTIONS: "-c default_transaction_read_only=on",
    PULUMI_CONFIG_PASSPHRASE: "of another project",
    PULUMI_OPTION_VERBOSE: "9",
    PULUMI_DIY_BACKEND_LEGACY_LAYOUT: "true",
    GIT_DIR: "/nonexistent",
    grpc_proxy: "http://127.0.0.1:1",
  };
  await lives(checkout, { through: shell, environment });
});

test("a service of the machine without HOME and USER", patience, async () => {
  await using checkout = await clone();
  await lives(checkout, { through: shell, environment: { HOME: undefined, USER: undefined, LOGNAME: undefined } });
});

test("a folder whose name has #, %, spaces, colons, quotes and other letters", patience, async () => {
  await using checkout = await clone("routeql a#b%20c ü $HOME:'\" ");
  await lives(checkout, { through: shell });
});

test("a network behind a proxy in lower-case variables, without exclusions", patience, async () => {
  await using proxy = await startProxy();
  await using checkout = await clone();
  const proxies = {
    http_proxy: proxy.url,
    https_proxy: proxy.url,
    HTTP_PROXY: undefined,
    HTTPS_PROXY: undefined,
    no_proxy: undefined,
    NO_PROXY: undefined,
  };
  await lives(checkout, { through: shell, environment: proxies });
  expect(proxy.asked.filter((host) => /^(localhost|127\.)/.test(host))).toEqual([]);
});

const homes: string[] = [];
afterAll(() => Promise.all(homes.map((home) => rm(home, { recursive: true, force: true }))));

interface Account {
  readonly uid: number;
  /** The group of the daemon's socket. */
  readonly group?: number;
}

/** An account without privileges, with a home of its own and a strict umask. */
async function unprivileged(checkout: Checkout, context: TestContext, { uid, group }: Account): Promise<StartOptions> {
  context.skip(process.getuid?.() !== 0, "only root can run a program as another user");
  const groups = group === undefined ? "--clear-groups" : `--groups=${group}`;
  const as = ["setpriv", `--reuid=${uid}`, `--regid=${uid}`, groups, "sh", "-c", 'umask 077; exec "$@"', "sh"];
  const reachable = await run(
    "setpriv",
    [`--reuid=${uid}`, `--regid=${uid}`, "--clear-groups", process.execPath, "--version"],
    { cwd: "/" },
  );
  context.skip(reachable.code !== 0, `another user may not run ${process.execPath}`);
  const home = await mkdtemp(join(tmpdir(), "routeql-home-"));
  homes.push(home);
  await chown(home, uid, uid);
  // The Pulumi CLI takes minutes to build.
  const cache = join(process.env["XDG_CACHE_HOME"] ?? join(process.env["HOME"] ?? "/root", ".cache"), "routeql");
  if (existsSync(cache))
    await mustRun("sh", [
      "-c",
      `mkdir -p "$1/.cache" && cp -a "$2" "$1/.cache/" && chown -R ${uid}:${uid} "$1/.cache"`,
      "sh",
      home,
      cache,
    ]);
  await mustRun("chown", ["-R", `${uid}:${uid}`, checkout.folder]);
  return {
    through: as,
    // The user has no account either, as in a container with an id of its own.
    environment: { HOME: home, XDG_CACHE_HOME: undefined, USER: undefined, NODE_COMPILE_CACHE: undefined },
  };
}

/** An unprivileged user in the group of the daemon's socket. */
async function ordinaryUser(checkout: Checkout, context: TestContext): Promise<StartOptions> {
  const socket = socketOf(daemonAddress());
  context.skip(socket === undefined || !existsSync(socket), "the daemon is not reached by a socket");
  const { gid } = await stat(socket!);
  return unprivileged(checkout, context, { uid: 54_321, group: gid });
}

test("an unprivileged user in the group docker, with umask 077", patience, async (context) => {
  await using checkout = await clone();
  await lives(checkout, await ordinaryUser(checkout, context));
});

test("a user without access to the daemon gets one clear sentence", patience, async (context) => {
  await using checkout = await clone();
  const { through = [], environment } = await ordinaryUser(checkout, context);
  const started = Date.now();
  const { code, output } = await checkout.command("logs", newStackName("machine"), [], {
    through: through.map((part) => (part.startsWith("--groups=") ? "--clear-groups" : part)),
    environment: environment ?? {},
  });
  expect(code).toBe(1);
  expect(output).toContain("This user may not use the Docker daemon at unix://");
  expect(output).toContain("What to do:");
  expect(Date.now() - started).toBeLessThan(30_000);
});

describe("a rootless daemon", () => {
  let daemon: RootlessDaemon | Absent;
  beforeAll(async () => {
    daemon = await startRootlessDaemon();
    if (!("reason" in daemon)) await daemon.takeImages();
  }, 300_000);
  afterAll(async () => {
    if (!("reason" in daemon)) await daemon[Symbol.asyncDispose]();
  }, 60_000);

  /** The daemon's own user. */
  async function its(checkout: Checkout, context: TestContext): Promise<StartOptions> {
    if ("reason" in daemon) return context.skip(daemon.reason);
    const { environment, ...rest } = await unprivileged(checkout, context, { uid: daemon.uid });
    return { ...rest, environment: { ...environment, DOCKER_HOST: daemon.endpoint } };
  }

  test("with ports from 1024 on, and ignored limits are reported", patience, async (context) => {
    await using checkout = await clone();
    const start = await its(checkout, context);
    const limits = (
      await mustRun("docker", ["info", "--format", "{{.CgroupDriver}}"], {
        env: { ...process.env, ...start.environment },
      })
    ).trim();
    const output = await lives(checkout, start);
    expect(output.includes("The Docker daemon ignores limits of memory, processors, processes")).toBe(
      limits === "none",
    );
  });

  test("with privileged ports gets the settings that help, before anything is built", async (context) => {
    await using checkout = await clone();
    await checkout.edit(".env", (text) => text.replace(/^HTTPS_PORT=.*$/m, "HTTPS_PORT=443"));
    const { code, output, seconds } = await timed(checkout, "up", await its(checkout, context));
    expect(code).toBe(1);
    expect(output).toContain("127.0.0.1:443 (HTTPS_PORT) is below the lowest port of a rootless daemon");
    expect(output).toContain("choose ports from 1024 on");
    expect(seconds).toBeLessThan(30);
  });
});

describe.each([
  ["drops every packet", silentProxy, "does not answer within 10 s"],
  ["refuses connections", refusingProxy, "cannot be used: connect ECONNREFUSED 127.0.0.1:1"],
])("a proxy that %s", (_, proxy, problem) => {
  const proxies = {
    http_proxy: proxy,
    https_proxy: proxy,
    HTTP_PROXY: undefined,
    HTTPS_PROXY: undefined,
    no_proxy: undefined,
    NO_PROXY: undefined,
  };

  test.each<readonly [what: string, change: (checkout: Checkout) => Promise<NodeJS.ProcessEnv>]>([
    [
      "npm ci",
      async (checkout) => {
        await checkout.remove("node_modules/.package-lock.json");
        return {};
      },
    ],
    [
      "the build of an image",
      async (checkout) => {
        await checkout.edit("images/sessions/entrypoint.sh", (text) => `${text}# ${newStackName("changed")}\n`);
        return {};
      },
    ],
    ["the build of the Pulumi CLI", async (checkout) => ({ XDG_CACHE_HOME: join(checkout.folder, "cache") })],
  ])("is named with its variable before %s", async (_what, change) => {
    await using checkout = await clone();
    const environment = { ...proxies, ...(await change(checkout)) };
    const { code, output, seconds } = await timed(checkout, "up", {
      through: process.getuid?.() === 0 ? throughDeadEnd : shell,
      environment,
    });
    expect(code, output).toBe(1);
    expect(output).toMatch(
      new RegExp(`Failed: The proxy ${RegExp.escape(proxy)}, set in https?_proxy, ${RegExp.escape(problem)}`),
    );
    expect(output).toMatch(/What to do: correct or unset https?_proxy/);
    expect(seconds).toBeLessThan(30);
  });
});
