import { expect, test } from "vitest";
import { networkSettings } from "./network.ts";

const { check } = networkSettings.networkRange;

test.each(["172.28.0.0/16", "10.0.0.0/8", "100.64.0.0/10, 192.168.7.0/24"])("%s can be networks", (value) =>
  expect(check(value)).toBeUndefined(),
);

test.each(["127.0.0.0/8", "10.0.0.0/24,169.254.7.0/24", "224.0.0.0/8", "240.0.0.0/8", "0.0.0.0/8"])(
  "%s has addresses that no network can have",
  (value) => expect(check(value)).toMatch(/^must not have addresses of [\d./]+, which no network can have/),
);
