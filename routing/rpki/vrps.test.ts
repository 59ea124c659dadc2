import { describe, expect, test } from "vitest";
import { parseVrps } from "./vrps.ts";

const read = (roas: unknown, metadata: unknown = {}) => parseVrps(JSON.stringify({ metadata, roas }), "list.json");

test("reads lists of Routinator and rpki-client", () => {
  const vrps = [{ prefix: "192.0.2.0/24", maxLength: 25, asn: 64_500 }];
  expect(
    read([{ asn: "AS64500", prefix: "192.0.2.0/24", maxLength: 25, ta: "ripe" }], {
      generated: 1_767_225_600,
      generatedTime: "2026-01-01T00:00:00Z",
    }),
  ).toEqual({ builtAt: new Date("2026-01-01T00:00:00Z"), vrps });
  expect(
    read([{ asn: 64_500, prefix: "192.0.2.0/24", maxLength: 25, ta: "ripe", expires: 1 }], {
      buildtime: "2026-01-01T00:00:00Z",
      roas: 1,
    }),
  ).toEqual({ builtAt: new Date("2026-01-01T00:00:00Z"), vrps });
  expect(read([{ asn: "AS0", prefix: "2001:DB8::/32", source: [{ type: "roa" }] }])).toEqual({
    builtAt: undefined,
    vrps: [{ prefix: "2001:db8::/32", maxLength: 32, asn: 0 }],
  });
});

describe("refuses a list with the place and the reason", () => {
  test.each([
    [{ asn: "ASX", prefix: "192.0.2.0/24" }, 'list.json: roas.0.asn: "ASX" is no AS number'],
    [{ asn: 4_294_967_296, prefix: "192.0.2.0/24" }, "list.json: roas.0.asn: 4294967296 is no AS number"],
    [{ asn: 1, prefix: "192.0.2.0/33" }, "list.json: roas.0.prefix: 192.0.2.0/33 is no IPv4 or IPv6 prefix"],
    [{ asn: 1, prefix: "192.0.2.1/24" }, "list.json: roas.0.prefix: 192.0.2.1/24 has bits set beyond its length"],
    [{ asn: 1, prefix: "192.0.2.0/24", maxLength: 23 }, "list.json: roas.0: maxLength 23 is not between 24 and 32"],
    [{ asn: 1, prefix: "192.0.2.0/24", maxLength: 33 }, "list.json: roas.0: maxLength 33 is not between 24 and 32"],
  ])("%j", (entry, message) => {
    expect(() => read([entry])).toThrow(message);
  });

  test("an empty list, another JSON and another text", () => {
    expect(() => read([])).toThrow("list.json: roas: the list is empty");
    expect(() => parseVrps("[]", "list.json")).toThrow("Use the output format json of Routinator or rpki-client.");
    expect(() => read([{ asn: 1, prefix: "192.0.2.0/24" }], { generated: 1e300 })).toThrow("metadata.generated: ");
    expect(() => parseVrps("IP Prefix,ASN", "list.json")).toThrow("list.json is no JSON");
  });
});
