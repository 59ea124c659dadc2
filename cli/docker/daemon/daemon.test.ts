import { expect, test } from "vitest";
import { refusePodman } from "./daemon.ts";

const address = { endpoint: "unix:///run/user/1000/podman/podman.sock", origin: "DOCKER_HOST" };

test("rejects Podman in one sentence that names the alternative", () => {
  const version = { Version: "5.4.2", Components: [{ Name: "Podman Engine", Version: "5.4.2" }] };
  expect(() => refusePodman(version, address)).toThrow(
    "The daemon at unix:///run/user/1000/podman/podman.sock (DOCKER_HOST) is Podman 5.4.2, which is not supported",
  );
});

test("does not mistake Docker for Podman", () => {
  expect(() =>
    refusePodman({ Version: "28.2.2", Components: [{ Name: "Engine", Version: "28.2.2" }] }, address),
  ).not.toThrow();
  expect(() => refusePodman({ Version: "20.10.24" }, address)).not.toThrow();
});
