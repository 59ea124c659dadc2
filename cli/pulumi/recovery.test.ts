import { expect, test } from "vitest";
import { futureCertificates } from "./recovery.ts";

const now = Date.parse("2026-05-04T10:00:00Z");
const certificate = (urn: string, type: string, validityStartTime?: string) => ({
  urn,
  type: `tls:index/${type}:${type}`,
  outputs: { validityStartTime },
});

test("finds the certificates that are not valid yet", () => {
  const resources = [
    certificate("authority", "selfSignedCert", "2027-01-01T00:00:00Z"),
    certificate("gateway", "locallySignedCert", "2026-05-04T10:00:01.000Z"),
    certificate("current", "locallySignedCert", "2026-05-04T10:00:00Z"),
    certificate("key", "privateKey"),
    certificate("without", "locallySignedCert"),
  ];
  expect(futureCertificates({ resources }, now)).toEqual(["authority", "gateway"]);
  expect(futureCertificates({}, now)).toEqual([]);
});
