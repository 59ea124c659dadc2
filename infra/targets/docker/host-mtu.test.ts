import { expect, test } from "vitest";
import { smallMtu } from "./host-mtu.ts";

const head = "Iface\tDestination\tGateway\tFlags\tRefCnt\tUse\tMetric\tMask\tMTU\tWindow\tIRTT";
const line = (name: string, metric = 0, mtu = 0, destination = "00000000", mask = "00000000"): string =>
  `${name}\t${destination}\t010200C0\t0003\t0\t0\t${metric}\t${mask}\t${mtu}\t0\t0`;
const host =
  (lines: readonly string[], links: Readonly<Record<string, number>> = {}) =>
  (path: string) => {
    if (path === "/proc/net/route") return [head, ...lines, ""].join("\n");
    const mtu = links[path.split("/").at(-2)!];
    if (mtu === undefined) throw new Error(`ENOENT ${path}`);
    return `${mtu}\n`;
  };

test.each([
  ["an overlay of a cloud", [line("ens3")], { ens3: 1450 }, 1450],
  ["a VPN before the usual route", [line("eth0", 100), line("wg0", 50)], { eth0: 1500, wg0: 1420 }, 1420],
  ["a route with its own", [line("eth0", 0, 1400)], { eth0: 1500 }, 1400],
  ["an ordinary host", [line("eth0")], { eth0: 1500 }, undefined],
  ["jumbo frames", [line("eth0")], { eth0: 9000 }, undefined],
  ["no default route", [line("eth0", 0, 0, "000200C0", "00FFFFFF")], { eth0: 1400 }, undefined],
  ["a value that IPv6 does not allow", [line("eth0")], { eth0: 576 }, undefined],
  ["an interface that is gone", [line("eth0")], {}, undefined],
])("%s", (_what, lines, links, expected) => {
  expect(smallMtu(host(lines, links))).toBe(expected);
});

test("a host without /proc has none", () => {
  expect(
    smallMtu(() => {
      throw new Error("ENOENT");
    }),
  ).toBeUndefined();
});
