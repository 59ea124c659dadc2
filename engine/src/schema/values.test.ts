import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { kindOf, UnfitValue } from "./json-values.ts";
import { arrayText, jsonText, toText } from "./values.ts";

const type = (name: string) => ({ name, sql: name, kind: "base" as const });
const rawJson = (text: string) => (JSON as unknown as { rawJSON(text: string): unknown }).rawJSON(text);

test.each([
  ["int4", 3, "3"],
  ["int4", "3", "3"],
  ["int4", 1e3, "1000"],
  ["int8", 9223372036854775807n, "9223372036854775807"],
  ["int8", "9223372036854775807", "9223372036854775807"],
  ["numeric", rawJson("1.10000000000000000001"), "1.10000000000000000001"],
  ["numeric", 1, "1.0"],
  ["money", -2147483649, "-2147483649.00"],
  ["money", 1e-7, "0.00"],
  ["money", 1.005, "1.01"],
  ["money", 9.995, "10.00"],
  ["money", 0.05, "0.05"],
  ["money", 1e20, "100000000000000000000.00"],
  ["money", 0, "0.00"],
  ["money", rawJson("1e400"), `1${"0".repeat(400)}.00`],
  ["text", "x", "x"],
  ["bool", true, "true"],
  ["json", { a: [1, null] }, '{"a":[1,null]}'],
  ["jsonb", "x", '"x"'],
  ["timestamp", "2026-01-01", "2026-01-01"],
  ["inet", "192.0.2.0/24", "192.0.2.0/24"],
  ["float8", rawJson("0e5"), "0e5"],
  ["float4", 1e38, "1e+38"],
  ["int4", null, null],
])("converts a %s of %o to %s", (name, value, text) => {
  expect(toText(value, type(name))).toBe(text);
});

test("reads a number with a long run of zeros in linear time", () => {
  const zeros = "0".repeat(300_000);
  expect(toText(rawJson(`1${zeros}1`), type("numeric"))).toBe(`1.${zeros}1e300001`);
  expect(toText(rawJson(`1.${zeros}1`), type("money"))).toBe("1.00");
});

test("like Hasura, Postgres rejects a list of jsonb values, except plain strings, and of GeoJSON", () => {
  const array = { ...type("_jsonb"), element: type("jsonb") };
  expect(toText([{ a: 1 }, "x"], array)).toBe(String.raw`{"u0001{\"a\":1}","\"x\""}`);
  const points = ["{}", { type: "Point", coordinates: [9, 1] }];
  expect(toText(points, { ...type("_geometry"), element: type("geometry") })).toBe(
    '{"{}",{"coordinates":[9,1],"crs":{"properties":{"name":"EPSG:4326"},"type":"name"},"type":"Point"}}',
  );
});

test.each([
  ["int4", "x"],
  ["bool", "true"],
  ["float4", "1.5"],
  ["numeric", "a lot"],
  ["date", "today"],
])("accepts a %s as the text %o, which Postgres parses", (name, value) => {
  expect(toText(value, type(name))).toBe(value);
});

test.each([
  ["int4", 2147483648, /outside the bounds/],
  ["int4", 1.5, /outside the bounds/],
  ["int2", 40000, /outside the bounds/],
  ["int8", true, /parsing Integer expected for input type: PGBigInt failed, expected Number, but encountered Boolean/],
  ["text", 3, /parsing Text failed, expected String, but encountered Number/],
  ["numeric", [], /parsing Scientific failed, expected Number, but encountered Array/],
  ["float8", true, /parsing Float expected for input type: PGDouble failed, expected Number, but encountered Boolean/],
  ["float8", rawJson("1e400"), /The value 1.0e400 lies outside the bounds. Is it overflowing the float bounds\?/],
  ["float8", rawJson("1e-400"), /outside the bounds/],
  ["float4", rawJson("1e39"), /outside the bounds/],
  ["bool", 1, /^expected Bool, but encountered Number$/],
  ["uuid", 1, /parsing UUID failed, expected String, but encountered Number/],
  ["inet", { a: 1 }, /A string is expected for type: inet/],
  ["mood", 1, /A string is expected for type: mood/],
  ["ltree", "a..b", /label path/],
  ["ltree", "", /label path/],
  ["ltree", 3, /label path/],
  ["raster", "xyz", /hexadecimal/],
  ["uuid", "a\0b", /NUL/],
])("rejects a %s of %o", (name, value, message) => {
  expect(() => toText(value, type(name))).toThrow(message);
  expect(() => toText(value, type(name))).toThrow(UnfitValue);
});

describe("arrays", () => {
  const list = { ...type("_text"), element: type("text") };

  test("have Postgres' notation", () => {
    expect(toText(["a", 'b"', "c\\", "NULL", ""], list)).toBe('{"a","b\\"","c\\\\","NULL",""}');
    expect(toText([1, null], { ...type("_int4"), element: type("int4") })).toBe("{1,NULL}");
    expect(toText("{{1},{2}}", { ...type("_int4"), element: type("int4") })).toBe("{{1},{2}}");
    expect(arrayText([null, "x"])).toBe('{NULL,"x"}');
  });

  test("have one dimension, unless they are Postgres' text, and are not single values", () => {
    expect(() => toText([[1, 2]], { ...type("_int4"), element: type("int4") })).toThrow(
      "expected Number, but encountered Array",
    );
    expect(() => toText(1, { ...type("_int4"), element: type("int4") })).toThrow(
      "parsing [] failed, expected Array, but encountered Number",
    );
  });

  test.each([
    ["uuid", ["3b5bd5a0-0f2b-4d3c-9f0e-0d1b1a2f3c4d"], "{3b5bd5a0-0f2b-4d3c-9f0e-0d1b1a2f3c4d}"],
    ["timestamptz", ["2026-01-01T10:00:00.5+01:00"], "{2026-01-01T10:00:00.5+01:00}"],
    ["timestamp", ["2026-01-01 10:00"], '{"2026-01-01 10:00"}'],
    ["uuid", ["null"], '{"null"}'],
    ["date", ["today}"], '{"today}"}'],
    ["float8", [1.5, null], "{1.5,NULL}"],
    ["ltree", ["top.l0", 'a"', null], '{top.l0,a",null}'],
  ])("of %s are quoted if necessary: %o", (name, value, text) => {
    expect(toText(value, { ...type(`_${name}`), element: type(name) })).toBe(text);
  });

  test("of any strings keep their strings", () => {
    const elements = /"((?:[^"\\]|\\.)*)"/gs;
    fc.assert(
      fc.property(fc.array(fc.string().filter((text) => !text.includes("\0"))), (strings) => {
        const read = [...(toText(strings, list) ?? "").matchAll(elements)].map(([, inner = ""]) =>
          inner.replaceAll(/\\(.)/gs, "$1"),
        );
        expect(read).toEqual(strings);
      }),
    );
  });
});

test("values have Hasura's names", () => {
  expect([null, true, "x", 1, 1.5, [], {}, 1n].map(kindOf)).toEqual([
    "null",
    "a boolean",
    "a string",
    "a number",
    "a number",
    "a list",
    "an object",
    "a number",
  ]);
});

test("bigints inside of json keep their digits", () => {
  expect(jsonText({ a: 12345678901234567890n })).toBe('{"a":12345678901234567890}');
});

test.each([
  [1, "parsing Geometry failed, expected Object, but encountered Number"],
  [{ type: "X" }, "unexpected geometry type: X"],
  [{ type: "Point", coordinates: [1] }, "A Position needs at least 2 elements"],
  [{ type: "Point", coordinates: [1, "a"] }, "parsing Double failed, unexpected String"],
  [
    {
      type: "Polygon",
      coordinates: [
        [
          [1, 1],
          [1, 2],
          [1, 3],
          [2, 3],
        ],
      ],
    },
    "the first and last locations have to be equal for a LinearRing",
  ],
  [
    { type: "Point", coordinates: [1, 1], crs: { type: "name" } },
    'parsing Hasura.SQL.GeoJSON.CRS(CRSName) failed, key "properties" not found',
  ],
])("rejects the GeoJSON %j as Hasura does", (value, message) => {
  expect(() => toText(value, type("geometry"))).toThrow(message);
});

test("GeoJSON without a name of another reference system is in EPSG:4326", () => {
  for (const crs of [undefined, null, { type: "link", properties: { href: "x" } }])
    expect(toText({ type: "Point", coordinates: [1, 1, 1, 1], crs }, type("geometry"))).toBe(
      '{"coordinates":[1,1,1],"crs":{"properties":{"name":"EPSG:4326"},"type":"name"},"type":"Point"}',
    );
});
