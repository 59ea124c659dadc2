import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { futureCertificates, storedDeployment } from "./recovery.ts";

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

test("names a damaged state and its copy", async () => {
  const state = mkdtempSync(join(tmpdir(), "routeql-state-"));
  onTestFinished(() => rmSync(state, { recursive: true }));
  const paths = { state } as Parameters<typeof storedDeployment>[0];
  expect(await storedDeployment(paths, "dev")).toEqual({});
  const folder = join(state, ".pulumi/stacks/routeql");
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "dev.json"), '{"checkpoint": {"latest": {"resou');
  await expect(storedDeployment(paths, "dev")).rejects.toMatchObject({
    message: `The state of the stack dev is damaged: ${join(folder, "dev.json")} is not JSON`,
    remedy: expect.stringContaining("dev.json.bak") as string,
  });
});
