import { expect, test } from "vitest";
import { jwtSettingsSchema } from "./jwt-settings.ts";

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
  ["a claims map without roles", { ...key, claims_map: { "x-hasura-user-id": { path: "$.sub" } } }, "Invalid input"],
  [
    "a claims map value of another form",
    { ...key, claims_map: { "x-hasura-allowed-roles": ["a"], "x-hasura-default-role": "a", "x-hasura-n": 7 } },
    "must be a string or {path, default}",
  ],
  ["a cookie without a name", { ...key, header: { type: "Cookie" } }, "Invalid input"],
])("%s is refused", (_title, settings, message) => {
  const parsed = jwtSettingsSchema.safeParse(settings);
  expect(parsed.error?.issues.map((issue) => issue.message).join("; ")).toContain(message);
});
