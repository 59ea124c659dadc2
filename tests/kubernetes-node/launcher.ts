/** Runs a node for the tests (`node launcher.ts FOLDER BINARIES [JOINED]`), prints its address as JSON, and removes all remains. */
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { makeGroups, removeGroup } from "./control-groups.ts";
import { writeConfiguration } from "./configuration.ts";
import type { InitOptions, Joined } from "./init.ts";
import { layoutOf, secondLayoutOf } from "./layout.ts";
import { connectLink, connectNodes, removeLink, reserveLink } from "./link.ts";

const [folder = "", binaries = "", first] = process.argv.slice(2);
const joined = first === undefined ? undefined : (JSON.parse(first) as Joined);
const layout = joined ? secondLayoutOf(joined.folder) : layoutOf(folder);

const namespaces = [
  "--net",
  "--mount",
  "--uts",
  "--ipc",
  "--pid",
  "--cgroup",
  "--fork",
  "--kill-child",
  "--propagation",
  "private",
];
// The shell is process 1: it reaps orphans, which no other program here does.
const firstProcess = 'node=$1 init=$2 options=$3; "$node" "$init" "$options"; exit $?';
const enterGroups =
  'for group in $GROUPS_OF_NODE; do echo $$ >"$group/cgroup.procs" || exit 1; done; exec unshare "$@"';

const tell = (message: object): void => {
  process.stdout.write(`${JSON.stringify(message)}\n`);
};

const link = await reserveLink();
const groups = await makeGroups();
await writeConfiguration(layout, link.address, joined);

const options: InitOptions = {
  folder: layout.folder,
  name: layout.name,
  ...(joined ? { joined } : {}),
  binaries,
  link: link.name,
  address: link.address,
  machineAddress: link.machineAddress,
};
const child = spawn(
  "sh",
  [
    "-c",
    enterGroups,
    "sh",
    ...namespaces,
    "sh",
    "-c",
    firstProcess,
    "sh",
    process.execPath,
    join(import.meta.dirname, "init.ts"),
    JSON.stringify(options),
  ],
  { stdio: ["pipe", "pipe", "pipe"], env: { ...process.env, GROUPS_OF_NODE: groups.join(" ") } },
);
const ended = new Promise<number>((resolve) => child.once("close", (code) => resolve(code ?? -1)));
const lastWords: string[] = [];
let inside = 0;
createInterface(child.stderr).on("line", (line) => {
  lastWords.push(line);
  if (lastWords.length > 20) lastWords.shift();
});
createInterface(child.stdout).on("line", (line) => {
  // The process in the new namespaces is the only child of `unshare`.
  if (line === "namespaces") {
    inside = Number(readFileSync(`/proc/${child.pid}/task/${child.pid}/children`, "utf8").trim());
    if (joined)
      connectNodes(
        { ...joined, podPrefix: layoutOf(joined.folder).podPrefix },
        { process: inside, address: link.address, podPrefix: layout.podPrefix },
      );
    connectLink(link, inside);
  }
  if (line === "started") tell({ address: link.address, process: inside });
});

let wanted = false;
const end = (): void => {
  wanted = true;
  child.kill("SIGKILL");
};
process.stdin.resume().once("end", end).once("error", end);
for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) process.on(signal, end);
process.stdout.on("error", end);

const code = await ended;
if (!wanted) tell({ failed: `the node has ended with code ${code}`, lastWords });
removeLink(link);
for (const group of groups) await removeGroup(group);
// The logs are needed after an unexpected exit.
if (wanted) await rm(layout.folder, { recursive: true, force: true });
