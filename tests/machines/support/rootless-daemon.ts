import { type ChildProcess, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { chmod, mkdir, mkdtemp, open, readFile, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { canInstallPackages, findProgram, installPackages } from "@routeql/host/apt";
import { messageOf } from "@routeql/host/failure";
import { builtImages } from "@routeql/infra/images";
import { settings } from "@routeql/infra/settings/list";
import { mustRun, run } from "../../harness/process.ts";

/** A Docker daemon that runs as an ordinary user, created for it. */
export interface RootlessDaemon extends AsyncDisposable {
  readonly endpoint: string;
  readonly uid: number;
  readonly home: string;
  /** Copies the images that this machine's daemon has of a stack, which saves their builds. */
  takeImages(): Promise<void>;
}

/** Why this machine cannot provide one. */
export interface Absent {
  readonly reason: string;
}

const packages = { newuidmap: "uidmap", slirp4netns: "slirp4netns", rootlesskit: "rootlesskit" } as const;
/** Debian's docker.io installs the script as an example. */
const scripts = ["/usr/bin/dockerd-rootless.sh", "/usr/share/docker.io/contrib/dockerd-rootless.sh"];
const nodeStandIn = "routeql/node:24.21.0";
const startSeconds = 60;

async function missing(): Promise<string | undefined> {
  if (process.getuid?.() !== 0) return "only root can create a user for a rootless daemon";
  if ((await findProgram("dockerd")) === undefined) return "dockerd is not installed";
  const absent: string[] = [];
  for (const [program, name] of Object.entries(packages))
    if ((await findProgram(program)) === undefined) absent.push(name);
  if (absent.length === 0) return undefined;
  if (!(await canInstallPackages())) return `${absent.join(", ")} missing`;
  return installPackages(absent, () => undefined, "the rootless daemon of the tests").then(
    () => undefined,
    (error: unknown) => messageOf(error),
  );
}

async function scriptPath(): Promise<string | undefined> {
  for (const path of scripts) if (await stat(path).catch(() => undefined)) return path;
  return undefined;
}

/**
 * Gives the user a device for its network, without a change outside of the daemon's own mount namespace, and starts the script as the
 * user. `$1` is a folder, `$2` the user.
 */
const asUser = `mount -t tmpfs -o mode=755 tmpfs "$1/dev" && mknod -m 666 "$1/dev/tun" c 10 200 && mount --bind "$1/dev/tun" /dev/net/tun
user=$2; shift 2; exec setpriv --reuid="$user" --regid="$user" --init-groups "$@"`;

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, "close");
  child.kill("SIGTERM");
  const late = AbortSignal.timeout(30_000);
  late.addEventListener("abort", () => child.kill("SIGKILL"));
  await ended;
}

/** Starts a rootless daemon with its own user, data and network; removed with the user at the end of the test. */
export async function startRootlessDaemon(): Promise<RootlessDaemon | Absent> {
  const obstacle = await missing();
  if (obstacle !== undefined) return { reason: obstacle };
  const script = await scriptPath();
  if (script === undefined) return { reason: `${scripts.join(" and ")} do not exist` };
  await using started = new AsyncDisposableStack();
  // Not in the suite's own temporary folder, whose parents another user may not enter; and short, because it contains sockets.
  const folder = await mkdtemp("/var/tmp/rq-rootless-");
  started.defer(() => rm(folder, { recursive: true, force: true }));
  await chmod(folder, 0o711);
  const user = `rq-${randomBytes(4).toString("hex")}`;
  const home = join(folder, "home");
  // It also gives the user a range of ids for containers (/etc/subuid).
  await mustRun("useradd", ["--create-home", "--home-dir", home, "--user-group", "--shell", "/bin/sh", user]);
  started.defer(async () => void (await run("userdel", ["--force", user])));
  const uid = Number(await mustRun("id", ["--user", user]));
  const runtime = join(folder, "run");
  for (const name of ["run", "dev"]) await mkdir(join(folder, name));
  await mustRun("chown", [`${user}:${user}`, runtime]);
  await chmod(runtime, 0o700);
  const endpoint = `unix://${runtime}/docker.sock`;
  const log = await open(join(folder, "log"), "a");
  started.defer(() => log.close());
  const environment = {
    HOME: home,
    USER: user,
    XDG_RUNTIME_DIR: runtime,
    PATH: "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
  };
  const child = spawn(
    "unshare",
    [
      "--mount",
      "--propagation",
      "private",
      "sh",
      "-c",
      asUser,
      "sh",
      folder,
      user,
      script,
      "--storage-driver",
      "overlay2",
    ],
    { cwd: "/", env: environment, stdio: ["ignore", log.fd, log.fd] },
  );
  started.defer(() => end(child));
  for (
    const limit = Date.now() + startSeconds * 1000;
    Date.now() < limit && child.exitCode === null;
    await delay(300)
  ) {
    if ((await run("docker", ["--host", endpoint, "version"])).code !== 0) continue;
    const all = started.move();
    const takeImages = async (): Promise<void> => {
      const wanted = [
        ...builtImages({ debianBase: settings.debianBase.default, nodeBase: nodeStandIn }).map(
          ({ imageName }) => imageName,
        ),
        settings.debianBase.default,
        nodeStandIn,
      ];
      const here: string[] = [];
      for (const name of wanted) if ((await run("docker", ["image", "inspect", name])).code === 0) here.push(name);
      await mustRun("sh", [
        "-c",
        'endpoint=$1; shift; docker save "$@" | docker --host "$endpoint" load',
        "sh",
        endpoint,
        ...here,
      ]);
    };
    return { endpoint, uid, home, takeImages, [Symbol.asyncDispose]: () => all.disposeAsync() };
  }
  const lines = (await readFile(join(folder, "log"), "utf8")).trim().split("\n");
  return { reason: `the rootless daemon did not start: ${lines.slice(-3).join(" | ")}` };
}
