import { expect, test } from "vitest";
import { addressGroup } from "./address-group.ts";

test.each([
  ["192.0.2.1", "192.0.2.1"],
  ["::ffff:192.0.2.1", "192.0.2.1"],
  ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"],
  ["2001:0DB8:0001:0002::1", "2001:db8:1:2::/64"],
  ["2001:db8::1", "2001:db8:0:0::/64"],
  ["::1", "0:0:0:0::/64"],
  ["fe80::1%eth0", "fe80:0:0:0::/64"],
  ["::FFFF:C000:0201", "192.0.2.1"],
  ["0:0:0:0:0:ffff:192.0.2.1", "192.0.2.1"],
  // Behind a translator all clients with IPv4 addresses would share one count.
  ["64:ff9b::192.0.2.1", "192.0.2.1"],
  ["64:ff9b::c000:201", "192.0.2.1"],
  ["64:ff9b:1::c000:201", "64:ff9b:1:0::/64"],
  ["2001:db8::192.0.2.1", "2001:db8:0:0::/64"],
  ["1::2:3:4:5:6:7", "1:0:2:3::/64"],
  ["", ""],
])("%s counts as %s", (address, group) => {
  expect(addressGroup(address)).toBe(group);
});
