import { mkdir, readdir, readFile, rmdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { startTimeOf } from "@routeql/host/process-facts";

/** A mounted hierarchy of control groups: one per controller (version 1), or one for all (version 2). */
export interface Hierarchy {
  readonly version: 1 | 2;
  readonly mountPoint: string;
  /** Mount options of the hierarchy: `memory`, `cpu,cpuacct`, `none,name=systemd`. */
  readonly options: string;
}

const controllersOf = (options: string): string =>
  options
    .split(",")
    .filter(
      (option) =>
        !["rw", "ro", "relatime", "noatime", "nosuid", "nodev", "noexec", "xattr", "clone_children"].includes(option) &&
        !option.startsWith("release_agent="),
    )
    .flatMap((option) => (option.startsWith("name=") ? ["none", option] : [option]))
    .join(",");

/** The hierarchies in a text like /proc/mounts. */
export function hierarchiesIn(mounts: string): Hierarchy[] {
  return mounts
    .split("\n")
    .map((line) => line.split(" "))
    .filter(
      ([, mountPoint = "", type]) =>
        mountPoint.startsWith("/sys/fs/cgroup") && (type === "cgroup" || type === "cgroup2"),
    )
    .map(([, mountPoint, type, options = ""]) => ({
      version: type === "cgroup2" ? (2 as const) : (1 as const),
      mountPoint: mountPoint!,
      options: type === "cgroup2" ? "" : controllersOf(options),
    }));
}

export const hierarchies = async (): Promise<Hierarchy[]> => hierarchiesIn(await readFile("/proc/mounts", "utf8"));

const groupName = (owner: number, startTime: string | undefined): string => `routeql-node-${owner}-${startTime}`;

/** Folders of groups whose launcher was killed before it could remove them. */
async function leftGroups(): Promise<string[]> {
  const left: string[] = [];
  for (const { mountPoint } of await hierarchies()) {
    for (const name of await readdir(mountPoint)) {
      const owner = /^routeql-node-(\d+)-(\d+)$/.exec(name);
      if (owner && (await startTimeOf(Number(owner[1]))) !== owner[2]) left.push(join(mountPoint, name));
    }
  }
  return left;
}

/** Creates this launcher's group in each hierarchy and returns the folders. The processes of the node join them first. */
export async function makeGroups(): Promise<string[]> {
  for (const folder of await leftGroups()) await removeGroup(folder);
  const name = groupName(process.pid, await startTimeOf(process.pid));
  const folders: string[] = [];
  for (const { mountPoint, options } of await hierarchies()) {
    const folder = join(mountPoint, name);
    await mkdir(folder);
    // A new group of this controller has no processors and memory until they are assigned (cpuset(7)).
    if (options.split(",").includes("cpuset")) {
      for (const file of ["cpuset.cpus", "cpuset.mems"]) {
        await writeFile(join(folder, file), await readFile(join(mountPoint, file), "utf8"));
      }
    }
    folders.push(folder);
  }
  if (folders.length === 0)
    throw new Error("no control groups are mounted below /sys/fs/cgroup, which the kubelet needs");
  return folders;
}

/** Removes a group and its subgroups. Its processes have exited, but the kernel may need a moment to register that. */
export async function removeGroup(folder: string): Promise<void> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  for (const entry of entries) if (entry.isDirectory()) await removeGroup(join(folder, entry.name));
  for (let attempt = 0; ; attempt++) {
    try {
      await rmdir(folder);
      return;
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === "ENOENT") return;
      if (code !== "EBUSY" || attempt >= 100) throw error;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }
}
