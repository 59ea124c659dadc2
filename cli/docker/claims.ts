import { dockerClient, orUndefined } from "@routeql/host/docker/client";
import { readDaemonIdentity } from "@routeql/host/docker/daemon-identity";
import { isData, makeClaim, readClaim, removeClaim, stackObjects } from "@routeql/host/docker/stack-objects";
import { stateLabel } from "@routeql/host/ownership";
import type { ClaimStore } from "../ownership/ownership.ts";
import { removeLeftovers } from "../pulumi/recovery.ts";

/** Claims on this machine's Docker daemon: an empty volume, because labels of data volumes are immutable. */
export const dockerClaims = (stack: string): ClaimStore => ({
  where: "on this Docker daemon",
  daemon: readDaemonIdentity,
  read: () => readClaim(stack),
  objects: async () =>
    (await stackObjects(stack)).map((object) => ({
      name: object.name,
      state: object.labels[stateLabel],
      isData: isData(object),
    })),
  async write(mine, before, replaces) {
    if (replaces) await removeAllButData(stack);
    // The same state in another folder, or another state that is replaced.
    if (before !== undefined && (replaces || before.state === mine.state)) await removeClaim(stack);
    return makeClaim(stack, mine);
  },
  remove: () => removeClaim(stack),
});

async function removeAllButData(stack: string): Promise<void> {
  await removeLeftovers(stack, {});
  const volumes = (await stackObjects(stack)).filter((object) => object.kind === "volume" && !isData(object));
  for (const { id } of volumes) await orUndefined(dockerClient().getVolume(id).remove());
}
