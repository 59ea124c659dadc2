import { expect, test } from "vitest";
import { jwtSettingsSchema } from "../../engine/src/auth/jwt-settings.ts";
import { tokenCheck } from "./metadata-files.ts";

test("tokens are checked by the sidecar's key set, issuer and audience, with a second's leeway for clocks that differ", () => {
  expect(jwtSettingsSchema.parse(JSON.parse(tokenCheck))).toMatchObject({
    jwk_url: "http://auth-sidecar:8080/jwks",
    issuer: "routeql",
    audience: "routeql",
    allowed_skew: 1,
  });
});
