import { expect, test } from "vitest";
import { archiveMoves, archivePlace } from "./lost-archive.ts";

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
  expect(archiveMoves(inspected(env, mount(type)), { ...given, backupRegion: undefined, ...settings })).toBe(moves);
});
