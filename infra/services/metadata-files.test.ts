import { expect, test } from "vitest";
import { jwtSettingsSchema } from "@routeql/engine/auth/jwt-settings";
import { tokenCheck } from "./metadata-files.ts";

test("verifies tokens by key set, issuer and audience, with one second of clock skew", () => {
  expect(jwtSettingsSchema.parse(JSON.parse(tokenCheck))).toMatchObject({
    jwk_url: "http://auth-sidecar:8080/jwks",
    issuer: "routeql",
    audience: "routeql",
    allowed_skew: 1,
  });
});
