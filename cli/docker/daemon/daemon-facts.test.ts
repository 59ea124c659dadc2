import { expect, test } from "vitest";
import { abilitiesOf, limitWarnings, lowestUserPort } from "./daemon-facts.ts";

const rootless = ["name=seccomp,profile=default", "name=rootless", "name=cgroupns"];

test("recognises a rootless daemon by its security options", () => {
  expect(abilitiesOf({ SecurityOptions: rootless })).toEqual({ rootless: true, ignored: [] });
  expect(abilitiesOf({ SecurityOptions: ["name=seccomp,profile=rootless"] }).rootless).toBe(false);
});

test("reports limits that the daemon ignores, with the way to enforce them", () => {
  const found = abilitiesOf({ SecurityOptions: rootless, CgroupDriver: "none", MemoryLimit: false });
  expect(limitWarnings(found)).toEqual([expect.stringContaining("ignores limits of memory, processors, processes:")]);
  expect(abilitiesOf({ CgroupDriver: "systemd", PidsLimit: false, CpuCfsQuota: true }).ignored).toEqual(["processes"]);
  expect(abilitiesOf({ CgroupDriver: "systemd", CpuCfsQuota: false }).ignored).toEqual(["processors"]);
  expect(limitWarnings(found)[0]).toContain("delegate the controllers");
  expect(limitWarnings(abilitiesOf({ MemoryLimit: true, CgroupDriver: "systemd" }))).toEqual([]);
});

test("the lowest port of users comes from the kernel, else it is 1024", async () => {
  expect(await lowestUserPort("/nowhere")).toBe(1024);
  expect(await lowestUserPort()).toBeGreaterThanOrEqual(0);
});
