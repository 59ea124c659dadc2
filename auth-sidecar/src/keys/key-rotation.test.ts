import { expect, test } from "vitest";
import { readSettings } from "../settings.ts";
import { rotationPolicy } from "./key-rotation.ts";

test("a key waits one max-age before it signs, and stays a token life after its last token", () => {
  const settings = readSettings({
    DATABASE_URL: "postgres://sidecar:c2Vx7hPq@database/routeql",
    SESSIONS_URL: "redis://sessions",
    SERVICE_API_KEY: "f3a9d1c07b5e4826a1c9e07d35b8f264",
    KEY_ENCRYPTION_KEY: "b7e20f4c9d1a6835f0c4a7e92d5b8163",
  });
  expect(rotationPolicy(settings)).toEqual({
    algorithm: "ES256",
    publishedBeforeSigning: 80,
    publishedAfterSigning: 920,
    publishedBeforeReplacing: 11,
    period: 2_592_000,
  });
  expect(rotationPolicy({ ...settings, KEY_ROTATION_HOURS: 0, TOKEN_ALGORITHM: "RS256" })).toMatchObject({
    algorithm: "RS256",
    period: 0,
  });
});
