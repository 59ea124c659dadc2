import { hostname } from "node:os";
import { expect, test } from "vitest";
import { hasBridgesHere } from "./engine-network.ts";

const here = {
  Name: hostname(),
  OperatingSystem: "Debian GNU/Linux 13 (trixie)",
  SecurityOptions: ["name=seccomp,profile=default"],
};

test("an engine of this machine has its bridges here", () => {
  expect(hasBridgesHere(here, true, "linux")).toBe(true);
});

test.each([
  ["a rootless engine", { ...here, SecurityOptions: ["name=rootless"] }, true, "linux"],
  ["Docker Desktop on Linux", { ...here, OperatingSystem: "Docker Desktop" }, true, "linux"],
  ["an engine in a virtual machine on macOS", here, true, "darwin"],
  ["an engine on the network", here, false, "linux"],
  ["an engine behind a forwarded socket", { ...here, Name: `not-${hostname()}` }, true, "linux"],
] as const)("%s has a network of its own", (_, info, hasSocket, platform) => {
  expect(hasBridgesHere(info, hasSocket, platform)).toBe(false);
});
