import { describe, expect, test } from "vitest";
import { parseVrps } from "./vrps.ts";

const parse = (text: string) =>
  parseVrps(
    (async function* () {
      for (let at = 0; at < text.length; at += 7) yield Buffer.from(text.slice(at, at + 7));
    })(),
    "list.json",
  );
const read = (roas: unknown, metadata: unknown = {}) => parse(JSON.stringify({ metadata, roas }));

test("reads lists of Routinator and rpki-client", async () => {
  const vrps = [{ prefix: "192.0.2.0/24", maxLength: 25, asn: 64_500 }];
  expect(
    await read([{ asn: "AS64500", prefix: "192.0.2.0/24", maxLength: 25, ta: "ripe" }], {
      generated: 1_767_225_600,
      generatedTime: "2026-01-01T00:00:00Z",
    }),
  ).toEqual({ builtAt: new Date("2026-01-01T00:00:00Z"), vrps });
  expect(
    await read([{ asn: 64_500, prefix: "192.0.2.0/24", maxLength: 25, ta: "ripe", expires: 1 }], {
      buildtime: "2026-01-01T00:00:00Z",
      roas: 1,
    }),
  ).toEqual({ builtAt: new Date("2026-01-01T00:00:00Z"), vrps });
  expect(await read([{ asn: "AS0", prefix: "2001:DB8::/32", source: [{ type: "roa" }] }])).toEqual({
    builtAt: undefined,
    vrps: [{ prefix: "2001:db8::/32", maxLength: 32, asn: 0 }],
  });
});

test("reads lists of StayRTR, OctoRPKI and FORT", async () => {
  const entry = { asn: "AS64500", prefix: "192.0.2.0/24", maxLength: 24 };
  const vrps = [{ prefix: "192.0.2.0/24", maxLength: 24, asn: 64_500 }];
  expect(await read([{ ...entry, ta: "" }], { counts: 1, generated: 1_767_225_600, valid: 1_767_229_200 })).toEqual({
    builtAt: new Date("2026-01-01T00:00:00Z"),
    vrps,
  });
  expect(await read([entry], { buildtime: "2026-01-01T01:00:00+01:00" })).toMatchObject({
    builtAt: new Date("2026-01-01T00:00:00Z"),
  });
  const marked = `\uFEFF{"roas":[${JSON.stringify(entry)}]}`;
  expect(await parse(marked)).toEqual({ vrps });
  expect(await parse(`{ "router_keys" : [ ], "roas" : [ ${JSON.stringify(entry)} ] }`)).toEqual({ vrps });
});

test("reads a list alone, such as BGPalerter's vrpFile, whose age is unknown", async () => {
  const list = [
    { prefix: "192.0.2.0/24", asn: 64_500, maxLength: 25 },
    { prefix: "2001:db8::/32", asn: "64501", maxLength: 48 },
    { prefix: "::/0", asn: "AS64502", maxLength: 0 },
  ];
  const vrps = [
    { prefix: "192.0.2.0/24", maxLength: 25, asn: 64_500 },
    { prefix: "2001:db8::/32", maxLength: 48, asn: 64_501 },
    { prefix: "::/0", maxLength: 0, asn: 64_502 },
  ];
  expect(await parse(`\uFEFF\n${JSON.stringify(list, null, 2)}\n`)).toEqual({ builtAt: undefined, vrps });
  await expect(parse('[{"asn":"ASX","prefix":"192.0.2.0/24"}]')).rejects.toThrow(
    'list.json: 0.asn: "ASX" is no AS number',
  );
  await expect(parse('[{"asn":1,"prefix":"192.0.2.0/24"}')).rejects.toThrow("list.json is no JSON");
  await expect(parse('[{"asn":1,"prefix":"192.0.2.0/24"}] {}')).rejects.toThrow("list.json is no JSON");
});

test("refuses a list of the future, which would never be old", async () => {
  const roas = [{ asn: 1, prefix: "192.0.2.0/24" }];
  const at = (milliseconds: number) => new Date(Date.now() + milliseconds).toISOString();
  await expect(read(roas, { buildtime: at(2 * 3_600_000) })).rejects.toThrow("in the future. Correct the clock");
  expect((await read(roas, { buildtime: at(60_000) })).vrps).toHaveLength(1);
});

describe("refuses a list with the place and the reason", () => {
  test.each([
    [{ asn: "ASX", prefix: "192.0.2.0/24" }, 'list.json: roas.0.asn: "ASX" is no AS number'],
    [{ asn: 4_294_967_296, prefix: "192.0.2.0/24" }, "list.json: roas.0.asn: 4294967296 is no AS number"],
    [{ asn: 1, prefix: "192.0.2.0/33" }, "list.json: roas.0.prefix: 192.0.2.0/33 is no IPv4 or IPv6 prefix"],
    [{ asn: 1, prefix: "192.0.2.1/24" }, "list.json: roas.0.prefix: 192.0.2.1/24 has bits set beyond its length"],
    [{ asn: 1, prefix: "192.0.2.0/24", maxLength: 23 }, "list.json: roas.0: maxLength 23 is not between 24 and 32"],
    [{ asn: 1, prefix: "192.0.2.0/24", maxLength: 33 }, "list.json: roas.0: maxLength 33 is not between 24 and 32"],
  ])("%j", async (entry, message) => {
    await expect(read([entry])).rejects.toThrow(message);
  });

  test("ten of many problems", async () => {
    const list = { roas: Array.from({ length: 1_000 }, () => ({ asn: "ASX", prefix: "192.0.2.0/24" })) };
    const whole = parseVrps(
      (async function* () {
        yield Buffer.from(JSON.stringify(list));
      })(),
      "list.json",
    );
    const { message } = (await whole.catch((error: unknown) => error)) as Error;
    expect(message.split("\n")).toHaveLength(10);
  });

  test("an empty list, another JSON and another text", async () => {
    await expect(read([])).rejects.toThrow("list.json: roas: the list is empty");
    await expect(parse("[]")).rejects.toThrow("list.json: the list is empty. Use the output format json of Routinator");
    await expect(parse("{}")).rejects.toThrow(
      "list.json: it has no list roas. Use the output format json of Routinator",
    );
    await expect(read([{ asn: 1, prefix: "192.0.2.0/24" }], { generated: 1e300 })).rejects.toThrow(
      "metadata.generated: ",
    );
    await expect(parse("ASN,IP Prefix\nAS1,192.0.2.0/24")).rejects.toThrow(
      "list.json is no JSON. Use the output format",
    );
    await expect(parse("")).rejects.toThrow("list.json is no JSON");
    await expect(parse('{"roas":[{"asn":1,}]}')).rejects.toThrow("list.json is no JSON");
    await expect(parse('{"roas":[{}')).rejects.toThrow("list.json is no JSON");
  });
});
