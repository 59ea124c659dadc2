import { expect, test } from "vitest";
import { archivePlace } from "./lost-archive.ts";

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
