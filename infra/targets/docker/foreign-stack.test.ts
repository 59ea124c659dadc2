import type { dockerClient } from "@routeql/host/docker/client";
import { expect, test } from "vitest";
import { refuseForeignStack } from "./foreign-stack.ts";

type Labels = Readonly<Record<string, string>>;

const claimOf = (state: string): Labels => ({
  "com.routeql.state": state,
  "com.routeql.folder": "/srv/one",
  "com.routeql.host": "alpha",
  "com.routeql.user": "anna",
});

/** An engine with one data volume of the stack `local`, and a claim. */
function engine(volume: Labels | undefined, claim?: Labels): ReturnType<typeof dockerClient> {
  const absent = Object.assign(new Error("no such volume"), { statusCode: 404 });
  const volumes =
    volume === undefined
      ? []
      : [{ Name: "routeql-local-database-data", Labels: { "com.routeql.stack": "local", ...volume } }];
  const fake = {
    listContainers: async () => [],
    listNetworks: async () => [],
    listVolumes: async () => ({ Volumes: volumes }),
    getVolume: () => ({ inspect: async () => (claim === undefined ? Promise.reject(absent) : { Labels: claim }) }),
  };
  return fake as unknown as ReturnType<typeof dockerClient>;
}

test("refuses data of another state and names the checkout and the remedy", async () => {
  const refused = refuseForeignStack("local", "mine", engine({ "com.routeql.state": "other" }, claimOf("other")));
  await expect(refused).rejects.toThrow(
    "belongs to the checkout /srv/one (host alpha, user anna): routeql-local-database-data",
  );
  await expect(refused).rejects.toThrow("npm run down -- --volumes --adopt");
});

test("refuses data of another state without a claim, also for a new state", async () => {
  await expect(refuseForeignStack("local", undefined, engine({ "com.routeql.state": "other" }))).rejects.toThrow(
    "belongs to another Pulumi state (other)",
  );
});

test("refuses a name that a checkout has claimed", async () => {
  await expect(refuseForeignStack("local", "mine", engine(undefined, claimOf("other")))).rejects.toThrow(
    "belongs to the checkout /srv/one",
  );
});

test.each([
  ["no objects", engine(undefined)],
  ["objects of this state", engine({ "com.routeql.state": "mine" }, claimOf("mine"))],
  ["data without a label", engine({})],
])("accepts %s", async (_, docker) => {
  await expect(refuseForeignStack("local", "mine", docker)).resolves.toBeUndefined();
});
