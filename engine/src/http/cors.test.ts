import { describe, expect, test } from "vitest";
import { serveFake } from "../lifecycle/testing/served-engine.ts";
import { readCorsPolicy } from "./cors.ts";

describe("HASURA_GRAPHQL_CORS_DOMAIN", () => {
  test.each([
    ["*", "https://anywhere.example:8443", true],
    ["https://a.example", "https://a.example", true],
    ["https://a.example", "http://a.example", false],
    ["https://a.example", "https://a.example:8443", false],
    ["https://a.example", "https://b.a.example", false],
    ["https://other.example, https://a.example:8443", "https://a.example:8443", true],
    ["https://*.a.example", "https://b.a.example", true],
    ["https://*.a.example", "https://c.b.a.example", false],
    ["https://*.a.example", "https://a.example", false],
    ["https://*.a.example", "https://ba.example", false],
    ["https://*.a.example:8443", "https://b.a.example:8443", true],
    ["https://*.a.example:8443", "https://b.a.example", false],
    ["https://a.example", "null", false],
    ["https://my_app.example", "https://my_app.example", true],
    // As in Hasura since its issue 5818.
    ["capacitor://localhost,ionic://localhost", "ionic://localhost", true],
    ["capacitor://localhost", "https://localhost", false],
    [
      "chrome-extension://mdplmiioglkpgkgblfdilgebpppgdlma",
      "chrome-extension://mdplmiioglkpgkgblfdilgebpppgdlma",
      true,
    ],
    ["app://.", "app://.", true],
  ])("with %s, a page of %s: %s", (text, origin, allowed) => {
    expect(readCorsPolicy(text).allows(origin)).toBe(allowed);
  });

  test.each([
    "a.example",
    "https://a.example/",
    "https://*",
    "https://a.*.example",
    "https://a.example:*",
    "null",
    "file://",
    "",
  ])("rejects %j as a list of origins", (text) => {
    expect(() => readCorsPolicy(text)).toThrow("is not an origin");
  });
});

const preflight = {
  method: "OPTIONS",
  headers: { origin: "https://a.example", "access-control-request-headers": "authorization,x-hasura-role" },
};

test("answers a preflight for every origin unless the settings restrict it", async () => {
  await using server = await serveFake();
  const answer = await fetch(`${server.url}/v1/graphql`, preflight);
  expect(answer.status).toBe(204);
  expect(Object.fromEntries(answer.headers)).toMatchObject({
    "access-control-allow-origin": "https://a.example",
    "access-control-allow-credentials": "true",
    "access-control-allow-headers": "authorization,x-hasura-role",
    "access-control-allow-methods": "GET,POST,PUT,PATCH,DELETE,OPTIONS",
    "access-control-max-age": "1728000",
  });
});

test("a reply names the origin that it is for", async () => {
  await using server = await serveFake({}, { HASURA_GRAPHQL_CORS_DOMAIN: "https://a.example" });
  const [own, foreign] = await Promise.all(
    ["https://a.example", "https://b.example"].map((origin) =>
      fetch(`${server.url}/v1/version`, { headers: { origin } }),
    ),
  );
  expect(own?.headers.get("access-control-allow-origin")).toBe("https://a.example");
  expect(own?.headers.get("vary")).toBe("Origin");
  expect(foreign?.status).toBe(200);
  expect(foreign?.headers.has("access-control-allow-origin")).toBe(false);
});

test("with CORS off, no reply names an origin, and a preflight gets 404", async () => {
  await using server = await serveFake({}, { HASURA_GRAPHQL_DISABLE_CORS: "true" });
  const answer = await fetch(`${server.url}/v1/graphql`, preflight);
  expect(answer.status).toBe(404);
  expect(answer.headers.has("access-control-allow-origin")).toBe(false);
});
