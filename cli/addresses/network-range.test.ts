import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { StackPaths } from "@routeql/host/paths";
import { parseRange } from "@routeql/infra/settings/values/ipv4-range";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { networkRangeOf, releaseNetworkRange } from "./network-range.ts";

let home: string;
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), "routeql-ranges-"));
  vi.stubEnv("XDG_CACHE_HOME", join(home, "cache"));
});
afterEach(() => rm(home, { recursive: true, force: true }));

/** The folder of a stack during a run. */
async function stackOf(name: string): Promise<StackPaths> {
  const folder = join(home, name);
  await mkdir(folder);
  await writeFile(join(folder, "run.lock"), "{}");
  return { folder, networkRange: join(folder, "network-range") } as StackPaths;
}

const configuration = { given: {}, plain: { networkPool: "192.168.192.0/22" } };
const pairs = (count: number) =>
  Array.from({ length: count }, (_item, index) => ({ name: `pair-${index}`, members: ["a", "b"] }));
const request = { configuration, networks: pairs(20), keeps: true };
const using =
  (...ranges: readonly string[]) =>
  async () => ({ used: ranges.map((text) => parseRange(text)!), held: {} });
const reserve = async (name: string, used = using()): Promise<string | undefined> =>
  networkRangeOf(name, await stackOf(name), request, used);

test("stacks get free ranges of the pool in sequence, also before they have networks", async () => {
  expect(await reserve("one")).toBe("192.168.192.0/24");
  expect(await reserve("two", using("192.168.193.16/28"))).toBe("192.168.194.0/24");
  expect(await reserve("three")).toBe("192.168.193.0/24");
});

test(
  "stacks that start at the same time get different ranges, also those of a deleted stack",
  { repeats: 20 },
  async () => {
    await reserve("gone");
    await rm(join(home, "gone"), { recursive: true });
    const stacks = await Promise.all("abcdefgh".split("").map(async (name) => [name, await stackOf(name)] as const));
    const wide = { ...configuration, plain: { networkPool: "192.168.192.0/20" } };
    const ranges = await Promise.all(
      stacks.map(([name, paths]) => networkRangeOf(name, paths, { ...request, configuration: wide }, using())),
    );
    expect(new Set(ranges).size).toBe(8);
  },
);

test("rejects a stack when the pool is full, and names the setting that widens it", async () => {
  await expect(reserve("one", using("192.168.128.0/17"))).rejects.toMatchObject({
    message: expect.stringContaining("no free /24") as unknown,
    remedy: expect.stringContaining("NETWORK_POOL") as unknown,
  });
});

test("the networks of a running stack keep their addresses", async () => {
  const running = async () => ({ used: [parseRange("192.168.194.0/25")!], held: { "pair-0": "192.168.194.16/28" } });
  const paths = await stackOf("running");
  expect(await networkRangeOf("running", paths, request, running)).toBeUndefined();
  await writeFile(paths.networkRange, "192.168.194.0/24\n");
  expect(await networkRangeOf("running", paths, request, running)).toBe("192.168.194.0/24");
  expect(await networkRangeOf("running", paths, { ...request, keeps: false }, running)).toBe("192.168.194.0/24");
});

test("a running stack without room for new networks gets a second range", async () => {
  const sixteenths = Array.from({ length: 15 }, (_item, index) => [`pair-${index}`, `192.168.194.${16 * index}/28`]);
  const held = Object.fromEntries(sixteenths) as Record<string, string>;
  const running = async () => ({ used: [], held });
  const paths = await stackOf("full");
  await writeFile(paths.networkRange, "192.168.194.0/24\n");
  const look = (count: number, keeps: boolean) =>
    networkRangeOf("full", paths, { ...request, networks: pairs(count), keeps }, running);
  expect(await look(17, true)).toBe("192.168.194.0/24");
  expect(await look(18, false)).toBe("192.168.194.0/24,192.168.192.0/24");
  expect(await look(17, true)).toBe("192.168.194.0/24");
  expect(await look(18, true)).toBe("192.168.194.0/24,192.168.192.0/24");
  expect(await look(17, true)).toBe("192.168.194.0/24,192.168.192.0/24");
  expect(await reserve("other")).toBe("192.168.193.0/24");
  await releaseNetworkRange(paths);
  expect(await reserve("next")).toBe("192.168.192.0/24");
});

test("a new stack with many networks gets two ranges", async () => {
  const many = { ...request, networks: pairs(40) };
  expect(await networkRangeOf("many", await stackOf("many"), many, using())).toBe("192.168.192.0/24,192.168.193.0/24");
});

test("a stack keeps its range, and gets another one when a foreign network overlaps it", async () => {
  const paths = await stackOf("kept");
  const look = (keeps: boolean, ...used: readonly string[]) =>
    networkRangeOf("kept", paths, { ...request, keeps }, using(...used));
  expect(await look(true, "192.168.192.0/24")).toBe("192.168.193.0/24");
  expect(await look(true)).toBe("192.168.193.0/24");
  expect(await look(false)).toBe("192.168.193.0/24");
  expect(await look(true, "192.168.193.128/25")).toBe("192.168.192.0/24");
});

test("a file with other content counts as none", async () => {
  const paths = await stackOf("one");
  await writeFile(paths.networkRange, "192.168.19\n");
  expect(await networkRangeOf("one", paths, request, using())).toBe("192.168.192.0/24");
});

test("a range is free again after its stack is removed or its folder is deleted", async () => {
  const [down, gone] = [await stackOf("down"), await stackOf("gone")];
  await networkRangeOf("down", down, request, using());
  await networkRangeOf("gone", gone, request, using());
  await releaseNetworkRange(down);
  await rm(gone.folder, { recursive: true });
  expect([await reserve("third"), await reserve("fourth")]).toEqual(["192.168.192.0/24", "192.168.193.0/24"]);
});

test("a preview reserves nothing, and avoids the ranges that other stacks reserved", async () => {
  const preview = await stackOf("preview");
  const look = () => networkRangeOf("preview", preview, { ...request, keeps: false }, using());
  expect(await look()).toBe("192.168.192.0/24");
  expect(await reserve("one")).toBe("192.168.192.0/24");
  expect(await look()).toBe("192.168.193.0/24");
});

test("a file of the user with other content counts as none, and is written again", async () => {
  await mkdir(join(home, "cache/routeql"), { recursive: true });
  await writeFile(join(home, "cache/routeql/network-ranges.json"), '{"/half');
  expect(await reserve("one")).toBe("192.168.192.0/24");
  expect(await reserve("two")).toBe("192.168.193.0/24");
});

test("uses a configured range unchanged", async () => {
  const given = { ...request, configuration: { ...configuration, given: { networkRange: "10.9.8.0/24" } } };
  expect(await networkRangeOf("any", await stackOf("any"), given, using("10.9.8.0/24"))).toBe("10.9.8.0/24");
});
