import { PassThrough } from "node:stream";
import { expect, test } from "vitest";
import { archivePlace, hasOtherPlace, movesArchive } from "./archive-place.ts";
import type { DockerClient } from "./provider-daemon.ts";

const inspected = (env: readonly string[], mounts: readonly object[]) =>
  ({ Config: { Env: env }, Mounts: mounts }) as unknown as Parameters<typeof archivePlace>[0];
const mount = (Type: string) => [{ Type, Source: "/srv/archive", Destination: "/var/lib/pgbackrest" }];

test.each([
  ["a directory of the host", [], mount("bind"), "/srv/archive"],
  [
    "an object storage",
    ["PGBACKREST_REPO1_TYPE=s3", "PGBACKREST_REPO1_S3_BUCKET=bucket", "PGBACKREST_REPO1_PATH=/folder"],
    mount("volume"),
    "s3://bucket/folder",
  ],
  [
    "a folder with equals signs",
    ["PGBACKREST_REPO1_TYPE=s3", "PGBACKREST_REPO1_S3_BUCKET=bucket", "PGBACKREST_REPO1_PATH=/year=2026/site=a"],
    mount("volume"),
    "s3://bucket/year=2026/site=a",
  ],
  ["a volume of the stack, which is deleted with its key", [], mount("volume"), undefined],
])("an archive in %s", (_, env, mounts, place) => {
  expect(archivePlace(inspected(env, mounts))).toBe(place);
});

const bucket = [
  "PGBACKREST_REPO1_TYPE=s3",
  "PGBACKREST_REPO1_S3_BUCKET=bucket",
  "PGBACKREST_REPO1_PATH=/folder",
  "PGBACKREST_REPO1_S3_ENDPOINT=storage.example.net",
];
const stored = { backupDestination: "s3://bucket/folder", backupEndpoint: "https://storage.example.net" };

test.each([
  ["its volume", [], "volume", {}, false],
  ["its volume to a directory", [], "volume", { archiveDirectory: "/srv/archive" }, true],
  ["its directory", [], "bind", { archiveDirectory: "/srv/archive/" }, false],
  ["its directory to another one", [], "bind", { archiveDirectory: "/srv/other" }, true],
  ["its directory to the volume", [], "bind", {}, true],
  ["its directory to a bucket", [], "bind", stored, true],
  ["its bucket", bucket, "volume", stored, false],
  ["its bucket to another folder", bucket, "volume", { ...stored, backupDestination: "s3://bucket/other" }, true],
  ["its bucket to another endpoint", bucket, "volume", { ...stored, backupEndpoint: "https://other.example" }, true],
  ["its bucket to the volume", bucket, "volume", {}, true],
])("an update of an archive in %s moves it only to another place", (_, env, type, settings, moves) => {
  const given = { archiveDirectory: undefined, backupDestination: undefined, backupEndpoint: undefined };
  expect(hasOtherPlace(inspected(env, mount(type)), { ...given, backupRegion: undefined, ...settings })).toBe(moves);
});

/** A daemon with an archive, whose container has this key; undefined for a stopped container. */
const daemon = (key: string | undefined): DockerClient => {
  const payload = Buffer.from(`${key}\n`);
  const frame = Buffer.concat([Buffer.from([1, 0, 0, 0, 0, 0, 0, payload.length]), payload]);
  const execution = {
    start: () => Promise.resolve(new PassThrough().end(frame)),
    inspect: () => Promise.resolve({ Running: false, ExitCode: 0 }),
  };
  const container = {
    inspect: () => Promise.resolve(inspected([], mount("bind"))),
    exec: () =>
      key === undefined ? Promise.reject(new Error("the container is stopped")) : Promise.resolve(execution),
  };
  return { getContainer: () => container } as unknown as DockerClient;
};

test.each([
  ["the same key", "first", "first", false],
  ["another key", "first", "second", true],
  ["no key, so that the generated one stays", "first", undefined, false],
  ["a key that cannot be compared", undefined, "first", true],
])("an update with %s moves the archive: %s, %s, %s", async (_, before, key, moves) => {
  const settings = { archiveDirectory: "/srv/archive", backupDestination: undefined };
  const given = { ...settings, backupEndpoint: undefined, backupRegion: undefined };
  expect(await movesArchive("site", given, key, daemon(before))).toBe(moves);
});
