import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ComponentResource } from "@pulumi/pulumi";
import { expect, test } from "vitest";
import { dockerClient } from "@routeql/host/docker/client";
import { type StackPaths, stackPaths } from "@routeql/host/paths";
import { releaseNetworkRange, reserveNetworkRange } from "@routeql/cli/stack/network-range";
import { describeServices } from "@routeql/infra/services/all";
import { withDefaults } from "@routeql/infra/settings/complete";
import { connect } from "@routeql/infra/targets/docker/networks";
import { tinyStack } from "./support/tiny-stack.ts";

const stacks = 12;
const settings = withDefaults({ engine: "hasura", ldapUrl: "ldaps://directory.example.net" }, "test");

/** The networks of a whole stack, for which the Docker engine needs no image and no container. */
const networksOf = (prefix: string, stack: string, range: string): void => {
  const parent = new ComponentResource("routeql:test:Parent", prefix);
  connect(
    describeServices(settings, { hostOf: (service) => service, certificate: "" }),
    { prefix, stack, named: (name) => `${prefix}-${name}` },
    parent,
    range,
  );
};

test(`a Docker host with default settings has enough networks for ${stacks} stacks`, { timeout: 600_000 }, async () => {
  await using tiny = await tinyStack();
  const home = await mkdtemp(join(tmpdir(), "routeql-networks-"));
  const reserved: StackPaths[] = [];
  try {
    const ranges: string[] = [];
    for (let number = 0; number < stacks; number += 1) {
      const folder = join(home, String(number));
      await mkdir(folder);
      const paths = { ...stackPaths(tiny.name), folder, networkRange: join(folder, "network-range") };
      reserved.push(paths);
      ranges.push((await reserveNetworkRange(`${tiny.name}-${number}`, paths, { given: {}, plain: settings }))!);
    }
    const { changes } = await tiny.up(async () => {
      for (const [number, range] of ranges.entries()) networksOf(`${tiny.name}-${number}`, tiny.name, range);
    });
    const networks = await dockerClient().listNetworks({ filters: { label: [`com.routeql.stack=${tiny.name}`] } });
    const subnets = networks.flatMap(({ IPAM }) => (IPAM?.Config ?? []).map(({ Subnet }) => Subnet));
    // Eight for the calls within a stack, one for the external directory, one for published ports.
    expect(networks.length).toBe(stacks * 10);
    expect(new Set(subnets).size).toBe(networks.length);
    expect(changes).toMatchObject({ create: stacks * 11 + 1 });
  } finally {
    for (const paths of reserved) await releaseNetworkRange(paths);
    await rm(home, { recursive: true, force: true });
  }
});
