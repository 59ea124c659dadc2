/** First program in the node's namespaces (`node init.ts JSON`): sets them up, runs the node's programs and ends with any of them. */
import { execFileSync, spawn } from "node:child_process";
import { mkdirSync, openSync, readFileSync, writeFileSync } from "node:fs";
import { get } from "node:https";
import { connect } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { type Component, components } from "./components.ts";
import { type Hierarchy, hierarchies } from "./control-groups.ts";
import { apiPort, layoutOf } from "./layout.ts";

/** The first node of the cluster of a second one. */
export interface Joined {
  readonly folder: string;
  readonly address: string;
  /** First process in its namespaces. */
  readonly process: number;
}

export interface InitOptions {
  readonly folder: string;
  readonly name: string;
  readonly joined?: Joined;
  readonly binaries: string;
  /** The node's end of the link with its address, and the machine's address at the other end. */
  readonly link: string;
  readonly address: string;
  readonly machineAddress: string;
}

const options = JSON.parse(process.argv[2] ?? "") as InitOptions;
const layout = layoutOf(options.folder, options.name);

const command = (program: string, ...args: string[]): void => {
  execFileSync(program, args, { stdio: ["ignore", "ignore", "inherit"] });
};

/** Mounts show the host's processes, network devices and control groups until they are remounted. */
async function mountOwn(): Promise<void> {
  const groups = await hierarchies();
  command("mount", "--make-rshared", "/");
  command("mount", "-t", "proc", "proc", "/proc");
  command("mount", "-t", "sysfs", "sysfs", "/sys");
  const unified = groups.find(({ version, mountPoint }) => version === 2 && mountPoint === "/sys/fs/cgroup");
  if (unified) mountUnified();
  else {
    command("mount", "-t", "tmpfs", "tmpfs", "/sys/fs/cgroup");
    for (const group of groups) mountGroup(group);
  }
  // Names outside the cluster fail at once, instead of after a wait for the machine's name servers.
  command("mount", "--bind", layout.file("resolv.conf"), "/etc/resolv.conf");
  // Hides sockets and locks of programs outside.
  command("mount", "-t", "tmpfs", "tmpfs", "/run");
}

function mountGroup({ version, mountPoint, options: controllers }: Hierarchy): void {
  mkdirSync(mountPoint, { recursive: true });
  if (version === 2) command("mount", "-t", "cgroup2", "cgroup2", mountPoint);
  else command("mount", "-t", "cgroup", "-o", controllers, "cgroup", mountPoint);
}

/** In version 2 only a group without processes can delegate its controllers (cgroups(7), "no internal processes"). */
function mountUnified(): void {
  const root = "/sys/fs/cgroup";
  command("mount", "-t", "cgroup2", "cgroup2", root);
  mkdirSync(`${root}/init`);
  command(
    "sh",
    "-c",
    `for process in $(cat ${root}/cgroup.procs); do echo $process >${root}/init/cgroup.procs || :; done; ` +
      `sed -e 's/ / +/g' -e 's/^/+/' <${root}/cgroup.controllers >${root}/cgroup.subtree_control`,
  );
}

async function bringLinkUp(): Promise<void> {
  command("ip", "link", "set", "lo", "up");
  for (let attempt = 0; ; attempt++) {
    try {
      execFileSync("ip", ["link", "show", options.link], { stdio: "ignore" });
      break;
    } catch (error) {
      if (attempt > 300) throw error;
      await sleep(100);
    }
  }
  command("ip", "address", "add", `${options.address}/30`, "dev", options.link);
  command("ip", "link", "set", options.link, "up");
  command("ip", "route", "add", "default", "via", options.machineAddress);
  writeFileSync("/proc/sys/net/ipv4/ip_forward", "1");
}

function start({ name, command: [program, ...args] }: Component): void {
  const log = openSync(`${layout.logs}/${name}.log`, "a", 0o600);
  const child = spawn(program, args, { stdio: ["ignore", log, log] });
  const end = (reason: string): void => {
    console.error(`${name} ${reason}; its log is ${layout.logs}/${name}.log`);
    process.exit(1);
  };
  child.once("error", (error) => end(`cannot be started: ${error.message}`));
  child.once("exit", (code, signal) => end(`ended with ${signal ?? code}`));
}

async function untilListening(path: string): Promise<void> {
  for (let attempt = 0; attempt < 1200; attempt++) {
    const connected = await new Promise<boolean>((resolve) => {
      const socket = connect({ path });
      socket.once("connect", () => resolve(true));
      socket.once("error", () => resolve(false));
      socket.once("close", () => socket.destroy());
    });
    if (connected) return;
    await sleep(100);
  }
  throw new Error(`nothing listens on ${path} after two minutes`);
}

/** The controllers and the scheduler end if the API server is not healthy soon after they start. */
async function untilApiReady(host: string): Promise<void> {
  const ca = readFileSync(`${layout.certificates}/ca.crt`);
  for (let attempt = 0; attempt < 600; attempt++) {
    const status = await new Promise<number>((resolve) => {
      const request = get({ host, port: apiPort, path: "/readyz", ca, timeout: 3000 });
      request.once("response", (answer) => resolve(answer.resume().statusCode ?? 0));
      // Node only reports the timeout.
      request.once("timeout", () => request.destroy(new Error("no answer")));
      request.on("error", () => resolve(0));
    });
    if (status === 200) return;
    await sleep(300);
  }
  throw new Error("the API server is not ready after 600 attempts");
}

process.stdin.resume().once("end", () => process.exit(0));
await mountOwn();
console.log("namespaces");
await bringLinkUp();
const { joined, address } = options;
const all = components(layout, options.binaries, address).filter(({ once }) => !(once && joined));
for (const component of all.filter(({ after }) => after === undefined)) start(component);
await untilListening(layout.containerdSocket);
await untilApiReady(joined?.address ?? address);
for (const component of all.filter(({ after }) => after !== undefined)) start(component);
console.log("started");
