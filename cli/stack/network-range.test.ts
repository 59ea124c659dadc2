import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { StackPaths } from "@routeql/host/paths";
import { addressOf, parseRange } from "@routeql/infra/settings/ipv4-range";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { networkRangeOf, releaseNetworkRange, routedRanges } from "./network-range.ts";

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
const using =
  (...ranges: readonly string[]) =>
  async () => ({ used: ranges.map((text) => parseRange(text)!), hasNetworks: false });
const reserve = async (name: string, used = using()): Promise<string | undefined> =>
  networkRangeOf(name, await stackOf(name), configuration, true, used);

test("stacks get free ranges of the pool in sequence, also before they have networks", async () => {
  expect(await reserve("one")).toBe("192.168.192.0/24");
  expect(await reserve("two", using("192.168.193.16/28"))).toBe("192.168.194.0/24");
  expect(await reserve("three")).toBe("192.168.193.0/24");
});

test(
  "stacks that start at the same time get different ranges, also those of a deleted stack",
  { repeats: 60 },
  async () => {
    await reserve("gone");
    await rm(join(home, "gone"), { recursive: true });
    const stacks = await Promise.all("abcdefgh".split("").map(async (name) => [name, await stackOf(name)] as const));
    const wide = { ...configuration, plain: { networkPool: "192.168.192.0/20" } };
    const ranges = await Promise.all(stacks.map(([name, paths]) => networkRangeOf(name, paths, wide, true, using())));
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
  const running = async () => ({ used: [], hasNetworks: true });
  const paths = await stackOf("running");
  expect(await networkRangeOf("running", paths, configuration, true, running)).toBeUndefined();
  await writeFile(paths.networkRange, "192.168.194.0/24\n");
  expect(await networkRangeOf("running", paths, configuration, true, running)).toBe("192.168.194.0/24");
  expect(await networkRangeOf("running", paths, configuration, false, running)).toBe("192.168.194.0/24");
});

test("a stack keeps its range, and gets another one when a foreign network overlaps it", async () => {
  const paths = await stackOf("kept");
  expect(await networkRangeOf("kept", paths, configuration, true, using("192.168.192.0/24"))).toBe("192.168.193.0/24");
  expect(await networkRangeOf("kept", paths, configuration, true, using())).toBe("192.168.193.0/24");
  expect(await networkRangeOf("kept", paths, configuration, false, using())).toBe("192.168.193.0/24");
  expect(await networkRangeOf("kept", paths, configuration, true, using("192.168.193.128/25"))).toBe(
    "192.168.192.0/24",
  );
});

test("a range is free again after its stack is removed or its folder is deleted", async () => {
  const [down, gone] = [await stackOf("down"), await stackOf("gone")];
  await networkRangeOf("down", down, configuration, true, using());
  await networkRangeOf("gone", gone, configuration, true, using());
  await releaseNetworkRange(down);
  await rm(gone.folder, { recursive: true });
  expect([await reserve("third"), await reserve("fourth")]).toEqual(["192.168.192.0/24", "192.168.193.0/24"]);
});

test("uses a configured range unchanged", async () => {
  const given = { ...configuration, given: { networkRange: "10.9.8.0/24" } };
  expect(await networkRangeOf("any", await stackOf("any"), given, true, using("10.9.8.0/24"))).toBe("10.9.8.0/24");
});

const table = `Iface	Destination	Gateway 	Flags	RefCnt	Use	Metric	Mask		MTU	Window	IRTT
eth0	00000000	0100000A	0003	0	0	0	00000000	0	0	0
eth0	0000000A	00000000	0001	0	0	0	0000FFFF	0	0	0
vpn0	00C0A8C0	00000000	0001	0	0	0	00F0FFFF	0	0	0
`;

test("routes of the host are ranges, the default route is not", () => {
  expect(routedRanges(table).map(({ first, last }) => [addressOf(first), addressOf(last)])).toEqual([
    ["10.0.0.0", "10.0.255.255"],
    ["192.168.192.0", "192.168.207.255"],
  ]);
});

test("a machine without a routing table has no routes", () => expect(routedRanges("")).toEqual([]));
