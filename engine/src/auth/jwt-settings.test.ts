import fc from "fast-check";
import { expect, test } from "vitest";
import { jwtSettingsSchema, parseJsonPath, valueAtPath } from "./jwt-settings.ts";

const key = { type: "HS256", key: "0123456789abcdef0123456789abcdef" };

test("the URL of a key set is enough; all other settings have defaults", () => {
  expect(jwtSettingsSchema.parse({ jwk_url: "http://auth-sidecar:8080/jwks" })).toMatchObject({
    claims_format: "json",
    allowed_skew: 0,
    header: { type: "Authorization" },
  });
});

test.each<[string, object, string]>([
  ["neither key nor jwk_url", {}, "exactly one of key and jwk_url must be given"],
  ["both key and jwk_url", { ...key, jwk_url: "https://a.example" }, "exactly one of key and jwk_url must be given"],
  ["a key without its type", { key: key.key }, "is required with key"],
  ["a type that is not known", { ...key, type: "PS1" }, "Invalid option"],
  ["type none", { ...key, type: "none" }, "Invalid option"],
  ["a misspelt key", { ...key, audiance: "x" }, "Unrecognized key"],
  ["an address that is not http", { jwk_url: "file:///etc/passwd" }, "Invalid URL"],
  ["both namespace and path", { ...key, claims_namespace: "a", claims_namespace_path: "$.a" }, "cannot both be given"],
  ["a path with a wildcard", { ...key, claims_namespace_path: "$.*" }, 'not a JSON path at ".*"'],
  ["a negative skew", { ...key, allowed_skew: -1 }, "Too small"],
  [
    "a claims map without roles",
    { ...key, claims_map: { "X-Hasura-Allowed-Roles": ["a"], "x-hasura-default-role": "a" } },
    "must be given, with its name in lower case",
  ],
  [
    "a claims map with roles of another form",
    { ...key, claims_map: { "x-hasura-allowed-roles": "a", "x-hasura-default-role": "a" } },
    "must be a list of roles or {path, default}",
  ],
  [
    "a claims map with a colon in the path of roles",
    { ...key, claims_map: { "x-hasura-allowed-roles": { path: "$.cognito:groups" }, "x-hasura-default-role": "a" } },
    'path: not a JSON path at ":groups": write names of other characters',
  ],
  [
    "a claims map with a colon in the path of a variable",
    {
      ...key,
      claims_map: {
        "x-hasura-allowed-roles": ["a"],
        "x-hasura-default-role": "a",
        "x-hasura-user-id": { path: "$.cognito:username" },
      },
    },
    'path: not a JSON path at ":username"',
  ],
  ["an audience of another form", { ...key, audience: null }, "must be a text, or a list of texts"],
  [
    "a claims map value of another form",
    { ...key, claims_map: { "x-hasura-allowed-roles": ["a"], "x-hasura-default-role": "a", "x-hasura-n": 7 } },
    "must be a string or {path, default}",
  ],
  ["a cookie without a name", { ...key, header: { type: "Cookie" } }, '{"type":"Cookie","name":…}'],
  ["a list of headers", { ...key, header: [{ type: "Authorization" }] }, 'must be as {"type":"Authorization"}'],
])("%s is refused", (_title, settings, message) => {
  const parsed = jwtSettingsSchema.safeParse(settings);
  expect(parsed.error?.issues.map((issue) => issue.message).join("; ")).toContain(message);
});

test.each([
  [{ type: "authorization", name: "token" }, { type: "Authorization" }],
  [
    { type: "cookie", name: "token" },
    { type: "Cookie", name: "token" },
  ],
  [
    { type: "CUSTOMHEADER", name: "X-Token" },
    { type: "CustomHeader", name: "x-token" },
  ],
])("the header %j is %j", (header, read) => {
  expect(jwtSettingsSchema.parse({ ...key, header }).header).toEqual(read);
});

test.each<[string, readonly (string | number)[]]>([
  ["$", []],
  ["$.a", ["a"]],
  ["a.b", ["a", "b"]],
  ["$.a-b._c1", ["a-b", "_c1"]],
  ["$['a b'].c", ["a b", "c"]],
  ['$["https://a.example/b"]', ["https://a.example/b"]],
  ["$.roles[0][12]", ["roles", 0, 12]],
])("%s selects %j", (text, path) => {
  expect(parseJsonPath(text)).toEqual(path);
});

test.each(["$.", "$..a", "$.*", "$[*]", "$['a", "$[a]", "$[-1]", "$.a b", "$x", ""])("rejects %j as a path", (text) => {
  expect(() => parseJsonPath(text)).toThrow("not a JSON path");
});

test("the path of an existing key finds its value, for any key", () => {
  const keys = fc.string({ minLength: 1 }).filter((key) => !key.includes("'"));
  fc.assert(
    fc.property(keys, fc.jsonValue(), (key, value) => {
      const object = Object.fromEntries([[key, value]]);
      expect(valueAtPath(object, parseJsonPath(`$['${key}']`))).toEqual(value);
    }),
  );
});

test("a path outside of the data finds nothing", () => {
  expect(valueAtPath({ a: [1] }, ["a", 1])).toBeUndefined();
  expect(valueAtPath({ a: null }, ["a", "b"])).toBeUndefined();
  expect(valueAtPath({ a: "text" }, ["a", "length"])).toBeUndefined();
  expect(valueAtPath({}, ["constructor"])).toBeUndefined();
});
