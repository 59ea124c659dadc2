import { expect, test } from "vitest";
import { idOnHost, unseenBySnap, unwritable } from "./host-folder.ts";

const snap = { DockerRootDir: "/var/snap/docker/common/var-lib-docker" };

test.each([
  ["/srv/archive", snap, true],
  ["/opt/something/data", snap, true],
  ["/mnt", snap, true],
  ["/home/eve/archive", snap, false],
  ["/mnt/data/archive", snap, false],
  ["/run/media/eve/disk", snap, false],
  ["/srv/archive", { DockerRootDir: "/var/lib/docker" }, false],
])("the daemon of %s in %j does not see it: %s", (folder, daemon, unseen) => {
  expect(unseenBySnap(folder, daemon) !== undefined).toBe(unseen);
});

const subuid = "eve:100000:65536\n1001:165536:65536\n";
const rootless = { DockerRootDir: "/home/eve/.local/share/docker", SecurityOptions: ["name=seccomp", "name=rootless"] };
const remapped = { DockerRootDir: "/var/lib/docker/231072.231072", SecurityOptions: ["name=userns", "name=cgroupns"] };

test.each([
  ["the same id", { DockerRootDir: "/var/lib/docker" }, ["root", "0"], 10_105],
  ["the first ids of the data's folder", remapped, ["root", "0"], 241_177],
  ["the ids after those of the daemon's user", rootless, ["eve", "1000"], 110_104],
  ["ids that belong to a number", rootless, ["bob", "1001"], 175_640],
  ["no id of a user without a line", rootless, ["carol", "1002"], undefined],
  ["no id of a folder without ids", { ...remapped, DockerRootDir: "/data" }, ["root", "0"], undefined],
])("a container's user has %s", (_title, daemon, user, id) => {
  expect(idOnHost(10_105, daemon, subuid, user)).toBe(id);
});

test.each([
  ["a missing folder", undefined, true, "does not exist"],
  ["a folder of root", { uid: 0, mode: 0o40755 }, true, "belongs to user 0"],
  ["the archive's folder", { uid: 10_105, mode: 0o40700 }, true, undefined],
  ["a folder for a group or an access list", { uid: 0, mode: 0o40770 }, true, undefined],
  ["a missing folder for a daemon elsewhere", undefined, false, undefined],
])("refuses %s before the update waits for it, if the archive cannot write it", (_title, found, sameHost, reason) => {
  if (reason === undefined) expect(unwritable(found, sameHost)).toBeUndefined();
  else expect(unwritable(found, sameHost)).toContain(reason);
});
