import { expect, test } from "vitest";
import { dockerClient } from "@routeql/host/docker/client";
import { versionBefore } from "./support/checkout.ts";
import { isRootless } from "../harness/require-limits.ts";
import { deployedStack } from "./support/deployed-stack.ts";

test(
  "an upgrade from the previous version keeps the data, the keys and the volumes",
  { timeout: 900_000 },
  async (context) => {
    // Its limit of processes counts the processes of a user in all stacks, so health checks fail at random.
    context.skip(isRootless, "the previous version is unreliable on a rootless engine");
    const commit = await versionBefore();
    context.skip(commit === undefined, "the history of this checkout does not include the previous version");
    await using stack = await deployedStack({}, commit);
    await stack.up();
    const { code, output } = await stack.checkout.command("load", stack.name, ["--demo", "50"]);
    expect(code, output).toBe(0);
    const count = "{ view_bgpupdates_aggregate { aggregate { count } } }";
    const volumes = async (): Promise<string[]> => {
      const { Volumes } = await dockerClient().listVolumes({
        filters: { label: [`com.routeql.stack=${stack.name}`, "com.routeql.run=data"] },
      });
      return Volumes.map(({ Name, Mountpoint }) => `${Name} ${Mountpoint}`).toSorted();
    };
    const [rows, key, volumesBefore] = [
      await stack.query(count),
      await stack.access("SERVICE_API_KEY"),
      await volumes(),
    ];
    expect(rows).toMatchObject({ data: { view_bgpupdates_aggregate: { aggregate: { count: 50 } } } });

    await stack.checkout.takeOver();
    await stack.up();
    expect(await stack.query(count)).toEqual(rows);
    expect(await stack.access("SERVICE_API_KEY")).toBe(key);
    // The version from which it upgrades had no archive, which has volumes of its own.
    expect(await volumes()).toEqual(expect.arrayContaining(volumesBefore));
    expect(await stack.up()).toBe("nothing changed");
  },
);
