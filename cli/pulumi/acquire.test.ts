import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createRequire } from "node:module";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { findCli } from "./acquire.ts";

const { version: sdkVersion } = createRequire(import.meta.url)("@pulumi/pulumi/package.json") as { version: string };
const builtVersion = "3.256.0";
const releasedVersion = "3.259.0";
let folder = "";

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "routeql-cli-"));
  vi.stubEnv("PATH", `${folder}/bin:/usr/bin:/bin`);
  vi.stubEnv("XDG_CACHE_HOME", folder);
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true });
});

/** A program that answers with this version. */
function install(file: string, version: string): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, `#!/bin/sh\necho ${version}\n`);
  chmodSync(file, 0o755);
}
const onPath = (version: string): void => install(join(folder, "bin/pulumi"), version);
const inCache = (version: string, answer = `v${version}`): void =>
  install(join(folder, "routeql/pulumi", version, "bin/pulumi"), answer);
const origin = async (built: string | undefined): Promise<string | undefined> =>
  (await findCli([releasedVersion, built]))?.origin;

test("prefers a sufficiently new CLI on PATH", async () => {
  onPath("v3.300.1");
  inCache(builtVersion);
  expect(await origin(builtVersion)).toBe("v3.300.1 from PATH");
});

test.each(["v3.100.0", "v4.0.0", "unknown"])("ignores %s on PATH", async (version) => {
  onPath(version);
  inCache(builtVersion);
  expect(await origin(builtVersion)).toBe(`${builtVersion} from the cache`);
});

test("prefers the CLI of the SDK's version in the cache to a built one", async () => {
  inCache(builtVersion);
  inCache(sdkVersion);
  expect(await origin(builtVersion)).toBe(`${sdkVersion} from the cache`);
});

test("prefers the CLI of the release archive in the cache to a built one", async () => {
  inCache(builtVersion);
  inCache(releasedVersion);
  expect(await origin(builtVersion)).toBe(`${releasedVersion} from the cache`);
});

test("ignores a CLI of another version in the cache, and a built one that cannot be built", async () => {
  inCache(sdkVersion, "v3.1.0");
  inCache(builtVersion);
  expect(await origin(undefined)).toBeUndefined();
});
