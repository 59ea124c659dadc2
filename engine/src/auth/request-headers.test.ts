import { expect, test } from "vitest";
import { cookieValue, mergeHeaders } from "./request-headers.ts";

test("headers of connection_init override those of the upgrade, in any case", () => {
  const merged = mergeHeaders(
    { authorization: "Bearer upgrade", host: "a" },
    { Authorization: "Bearer init", "X-Engine-Access-Key": "k" },
  );
  expect({ ...merged }).toEqual({ authorization: "Bearer init", host: "a", "x-engine-access-key": "k" });
});

test("only strings count as headers, and no name reaches the prototype", () => {
  const merged = mergeHeaders(
    {},
    JSON.parse('{"a": 1, "b": null, "c": ["x"], "__proto__": "x", "constructor": "y"}') as Record<string, unknown>,
  );
  expect(Object.keys(merged).toSorted()).toEqual(["__proto__", "constructor"]);
  expect(({} as Record<string, unknown>)["a"]).toBeUndefined();
});

test.each([
  ["a=1; token=x; b=2", "x"],
  ["token=x", "x"],
  ['token="x"', "x"],
  ["mytoken=y; token = x ", "x"],
  ["token=a=b", "a=b"],
  ["token", undefined],
  ["tokens=x", undefined],
  ["", undefined],
])("the cookies %j contain the token %j", (header, value) => {
  expect(cookieValue(header, "token")).toBe(value);
});
