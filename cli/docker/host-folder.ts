/** The folder of the host that a container writes: the daemon may see another folder, or give the container's user another id. */
import { readFile, stat } from "node:fs/promises";
import { hostname } from "node:os";
import { dockerClient } from "@routeql/host/docker/client";
import { daemonAddress } from "@routeql/host/docker/daemon-address";
import { Failure } from "@routeql/host/failure";
import { runToEnd } from "@routeql/host/process";
import { databaseUser } from "@routeql/infra/services/database";

interface DaemonInfo {
  /** Name of the daemon's host. */
  readonly Name?: string;
  readonly DockerRootDir: string;
  readonly SecurityOptions?: readonly string[];
}

const snapRoot = "/var/snap/docker/";
const seenBySnap = /^\/(?:home|media|mnt|run\/media)\/./;

/** Why the daemon would not use the folder: the Docker of snap writes all others into a file system of its own. */
export function unseenBySnap(folder: string, { DockerRootDir }: DaemonInfo): string | undefined {
  return DockerRootDir.startsWith(snapRoot) && !seenBySnap.test(folder)
    ? `The Docker of snap does not see the folder ${folder} (ARCHIVE_DIRECTORY) and would keep the archive in a hidden folder`
    : undefined;
}

/** First ids of other users' containers: `name:first:count` of subuid(5). */
function firstOf(subuid: string, names: readonly string[]): number | undefined {
  const line = subuid.split("\n").find((each) => names.includes(each.split(":")[0] ?? ""));
  const first = Number(line?.split(":")[1]);
  return Number.isInteger(first) ? first : undefined;
}

/**
 * The id of a container's user on the host.
 * @param subuid content of /etc/subuid
 * @param daemonUser names and id of the user of a rootless daemon
 */
export function idOnHost(
  id: number,
  { DockerRootDir, SecurityOptions = [] }: DaemonInfo,
  subuid: string,
  daemonUser: readonly string[],
): number | undefined {
  const has = (name: string): boolean => SecurityOptions.some((option) => option.split(",").includes(`name=${name}`));
  if (has("rootless")) {
    // Root is the daemon's user; the others follow.
    const first = firstOf(subuid, daemonUser);
    return first === undefined ? undefined : first + id - 1;
  }
  if (!has("userns")) return id;
  // The daemon keeps its data in /var/lib/docker/165536.165536: the first ids of users and groups.
  const first = /\/(\d+)\.\d+$/.exec(DockerRootDir)?.[1];
  return first === undefined ? undefined : Number(first) + id;
}

/** The user that a socket belongs to, as /etc/subuid may name it. */
async function ownerOf(socket: string): Promise<readonly string[]> {
  const { uid } = await stat(socket);
  const { stdout } = await runToEnd("getent", ["passwd", String(uid)], { timeoutMilliseconds: 10_000 });
  return [stdout.split(":")[0] ?? "", String(uid)].filter((name) => name !== "");
}

interface Folder {
  readonly uid: number;
  readonly mode: number;
}

function otherOwner(found: Folder | undefined, needed: number): string | undefined {
  return found === undefined || found.uid === needed
    ? undefined
    : `belongs to user ${found.uid}, and this Docker daemon runs the archive as user ${needed} of the host`;
}

/**
 * Why the archive cannot write a folder, for a daemon that maps no ids: the update would wait two minutes for it. A missing folder Docker
 * creates for root. Rights of groups, others and access lists (their mask is that of the group) may suffice.
 * @param sameHost the daemon of another host or virtual machine sees other folders
 */
export function unwritable(found: Folder | undefined, sameHost: boolean): string | undefined {
  if (!sameHost) return undefined;
  if (found === undefined) return "does not exist";
  return found.uid === databaseUser || (found.mode & 0o022) !== 0
    ? undefined
    : `belongs to user ${found.uid}, and only its owner may write it: the archive runs as user ${databaseUser}`;
}

/** @throws Failure for a folder that the archive cannot use, with the owner that it needs */
export async function refuseUnusableFolder(folder: string | undefined): Promise<void> {
  const { endpoint } = daemonAddress();
  if (folder === undefined || process.platform !== "linux" || !endpoint.startsWith("unix://")) return;
  const info = (await dockerClient().info()) as DaemonInfo;
  const unseen = unseenBySnap(folder, info);
  if (unseen !== undefined)
    throw new Failure(unseen, {
      remedy:
        "choose a folder below /home, or below /mnt or /media after: sudo snap connect docker:removable-media. " +
        "Or install Docker from docs.docker.com.",
    });
  const subuid = await readFile("/etc/subuid", "utf8").catch(() => "");
  const needed = idOnHost(databaseUser, info, subuid, await ownerOf(endpoint.slice("unix://".length)).catch(() => []));
  if (needed === undefined) return;
  const found = await stat(folder).catch((error: NodeJS.ErrnoException) => error.code);
  // Such as a folder above that this user may not enter.
  if (typeof found === "string" && found !== "ENOENT") return;
  const there = typeof found === "object" ? found : undefined;
  const reason = needed === databaseUser ? unwritable(there, info.Name === hostname()) : otherOwner(there, needed);
  if (reason === undefined) return;
  throw new Failure(`The folder ${folder} (ARCHIVE_DIRECTORY) ${reason}`, {
    remedy: `${there ? "" : `sudo mkdir -p '${folder}' && `}sudo chown -R ${needed}:${needed} '${folder}', then run this command again.`,
  });
}
