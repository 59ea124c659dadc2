import { expect, test } from "vitest";
import { subnetOf } from "./networks.ts";

test("each network takes a sixteenth of the stack's range, with the host at its first address", () => {
  expect(subnetOf("192.168.200.0/24", "edge")).toEqual({ subnet: "192.168.200.0/28", gateway: "192.168.200.1" });
  expect(subnetOf("192.168.200.0/24", "auth-sidecar-directory")).toEqual({
    subnet: "192.168.200.112/28",
    gateway: "192.168.200.113",
  });
  expect(subnetOf("10.0.0.0/20", "gateway-engine")).toEqual({ subnet: "10.0.1.0/24", gateway: "10.0.1.1" });
});

test("networks that came late share a sixteenth", () => {
  expect(subnetOf("192.168.200.0/24", "migrate-database").subnet).toBe("192.168.200.128/29");
  expect(subnetOf("192.168.200.0/24", "storage").subnet).toBe("192.168.200.136/29");
  expect(subnetOf("192.168.200.0/24", "auth-sidecar-collector").subnet).toBe("192.168.200.240/29");
  expect(subnetOf("192.168.200.0/24", "front-engine").subnet).toBe("192.168.200.248/29");
});

test("a network without a subnet is an error that names the place to add it", () => {
  expect(() => subnetOf("192.168.200.0/24", "engine-printer")).toThrow("no subnet for the network engine-printer");
});
