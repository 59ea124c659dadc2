import { createLogger } from "../logging.ts";
import { expect, test } from "vitest";
import { connectRedis } from "./redis.ts";

test.each([
  ["redis://:ab@127.0.0.1:1", undefined, undefined],
  ["rediss://:ab@127.0.0.1:1", undefined, {}],
  ["rediss://:ab@127.0.0.1:1", "PEM", { ca: "PEM" }],
  // Without TLS, everyone on the network would read the sessions and the password.
  ["redis://:ab@127.0.0.1:1", "PEM", { ca: "PEM" }],
])("connects to %s with the authority %s by TLS %j", (url, authority, tls) => {
  const redis = connectRedis(url, authority, createLogger("silent"));
  redis.disconnect();
  expect(redis.options.tls).toEqual(tls);
});
