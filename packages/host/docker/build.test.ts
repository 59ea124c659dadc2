import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { extraAuthorities, proxyArguments, withAuthorities } from "./build.ts";

test("a build gets the proxies of this machine, and nothing else of its environment", () => {
  expect(proxyArguments({ https_proxy: "http://p:1", NO_PROXY: "localhost", HOME: "/root", HTTP_PROXY: "" })).toEqual({
    https_proxy: "http://p:1",
    NO_PROXY: "localhost",
  });
  expect(proxyArguments({})).toEqual({});
});

test("authorities come from the file that is configured for Node or npm", async () => {
  const folder = await mkdtemp(join(tmpdir(), "routeql-authorities-"));
  const file = join(folder, "ca.pem");
  await writeFile(file, "authority");
  expect(extraAuthorities({ NODE_EXTRA_CA_CERTS: file })).toBe("authority");
  expect(extraAuthorities({ npm_config_cafile: file })).toBe("authority");
  expect(extraAuthorities({})).toBeUndefined();
  const missing = join(folder, "missing.pem");
  expect(extraAuthorities({ NODE_EXTRA_CA_CERTS: missing })).toBeUndefined();
  expect(extraAuthorities({ NODE_EXTRA_CA_CERTS: missing, npm_config_cafile: file })).toBe("authority");
  await rm(folder, { recursive: true });
});

test("only stages outside of the final image get the authorities", () => {
  const lines = withAuthorities(
    "ARG A\nFROM ${NODE_BASE} AS build\nRUN npm ci\n\nFROM ${DEBIAN_BASE}\nRUN true\n",
  ).split("\n");
  expect(lines.slice(1, 4)).toEqual([
    "FROM ${NODE_BASE} AS build",
    "COPY .routeql-authorities.crt /usr/local/share/ca-certificates/build-machine.crt",
    "ENV NODE_EXTRA_CA_CERTS=/usr/local/share/ca-certificates/build-machine.crt",
  ]);
  expect(lines.slice(5)).toEqual(["", "FROM ${DEBIAN_BASE}", "RUN true", ""]);
});
