import { expect, test } from "vitest";
import { hierarchiesIn } from "./control-groups.ts";

test("finds hierarchies of versions 1, 2 and both with their mount options", () => {
  const version1 = [
    "tmpfs /sys/fs/cgroup tmpfs rw,mode=755 0 0",
    "cgroup /sys/fs/cgroup/memory cgroup rw,nosuid,nodev,noexec,relatime,memory 0 0",
    "cgroup /sys/fs/cgroup/cpu,cpuacct cgroup rw,relatime,cpu,cpuacct 0 0",
    "cgroup /sys/fs/cgroup/systemd cgroup rw,relatime,xattr,name=systemd 0 0",
    "/dev/vda / ext4 rw 0 0",
  ];
  expect(hierarchiesIn(version1.join("\n"))).toEqual([
    { version: 1, mountPoint: "/sys/fs/cgroup/memory", options: "memory" },
    { version: 1, mountPoint: "/sys/fs/cgroup/cpu,cpuacct", options: "cpu,cpuacct" },
    { version: 1, mountPoint: "/sys/fs/cgroup/systemd", options: "none,name=systemd" },
  ]);
  expect(hierarchiesIn("cgroup2 /sys/fs/cgroup cgroup2 rw,nosuid 0 0")).toEqual([
    { version: 2, mountPoint: "/sys/fs/cgroup", options: "" },
  ]);
});
