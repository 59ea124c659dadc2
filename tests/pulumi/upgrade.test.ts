import { expect, test } from "vitest";
import { dockerClient } from "@routeql/host/docker/client";
import { versionBefore } from "./support/checkout.ts";
import { isRootless } from "../harness/docker/require-limits.ts";
import { keepDrill } from "../harness/figures/drills.ts";
import { deployedStack } from "./support/deployed-stack.ts";
import { restorePrinted } from "./support/restore-printed.ts";
import { keepWorking } from "./support/working-clients.ts";

test(
  "an upgrade from the previous version keeps the data, the keys and the volumes",
  { timeout: 1_800_000 },
  async (context) => {
    // Its limit of processes counts the processes of a user in all stacks, so health checks fail at random.
    context.skip(isRootless, "the previous version is unreliable on a rootless engine");
    const commit = await versionBefore();
    context.skip(commit === undefined, "the history of this checkout does not include the previous version");
    // The previous version reserves no range, so a stack of another suite could take the same one at that moment. This one is outside of the pool.
    const settings = { LOGIN_REQUESTS_PER_MINUTE_PER_ADDRESS: "5000", NETWORK_RANGE: "192.168.191.0/24" };
    await using stack = await deployedStack(settings, commit);
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
    const subnets = async (): Promise<Record<string, string | undefined>> => {
      const networks = await dockerClient().listNetworks({ filters: { label: [`com.routeql.stack=${stack.name}`] } });
      return Object.fromEntries(networks.map(({ Name, IPAM }) => [Name, IPAM?.Config?.[0]?.Subnet]));
    };
    const [rows, key, volumesBefore, subnetsBefore] = [
      await stack.query(count),
      await stack.access("SERVICE_API_KEY"),
      await volumes(),
      await subnets(),
    ];
    expect(rows).toMatchObject({ data: { view_bgpupdates_aggregate: { aggregate: { count: 50 } } } });

    await stack.checkout.takeOver();
    const clients = keepWorking(stack);
    const upgrade = await stack.checkout.command("up", stack.name);
    const { requests, failures } = await clients.end();
    expect(upgrade.code, upgrade.output).toBe(0);
    const refused = failures.filter((failure) => /^.*(ECONN|socket)/.test(failure)).length;
    const figure = `${refused} of ${requests} requests refused, ${failures.length - refused} answered 503`;
    keepDrill("Docker", "upgrade from the oldest version", figure);
    // The oldest version's gateway goes before its services; two clients send a request every 200 ms.
    expect(refused).toBeLessThan(100);
    expect(await stack.query(count)).toEqual(rows);
    expect(await stack.access("SERVICE_API_KEY")).toBe(key);
    // The version from which it upgrades had no archive, which has volumes of its own.
    expect(await volumes()).toEqual(expect.arrayContaining(volumesBefore));
    expect(Object.keys(subnetsBefore).length).toBeGreaterThan(5);
    expect(await subnets()).toMatchObject(subnetsBefore);
    expect(await stack.up()).toBe("nothing changed");
    expect((await stack.checkout.command("load", stack.name, ["--demo", "70"])).code).toBe(0);
    await restorePrinted(stack, upgrade.output);
    expect(await stack.query(count)).toEqual(rows);
  },
);
