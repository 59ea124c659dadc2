import { addressOf } from "@routeql/infra/settings/values/ipv4-range";
import { expect, test } from "vitest";
import { routedRanges } from "./used-ranges.ts";

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
