import { setTimeout as sleep } from "node:timers/promises";
import { Client } from "pg";
import { GenericContainer } from "testcontainers";
import { expect, test } from "vitest";
import { DatabaseContainer } from "../harness/containers/database-container.ts";
import { EngineContainer } from "../harness/containers/engine-container.ts";
import { image } from "../harness/containers/image.ts";
import { mustRun } from "../harness/process.ts";
import { newVolume, removeVolume } from "../harness/docker/memory-volume.ts";
import { runLabels } from "../harness/run/run.ts";
import { TestNetwork } from "../harness/docker/test-network.ts";

const data = "/var/lib/postgresql/data";
const filler = `${data}/filler`;

/** Writing and reading recover within this time after the disk has space again. */
const recovery = 60_000;

test(
  "the disk under Postgres is full: nothing acknowledged is lost, and it recovers",
  { timeout: 240_000 },
  async () => {
    await using network = await TestNetwork.create();
    await using volumes = new AsyncDisposableStack();
    const disk = await newVolume("disk", 256);
    volumes.defer(() => removeVolume(disk).then(() => undefined));
    // Keeps the disk while the database is down, and fills it.
    await using holder = await new GenericContainer(await image("database"))
      .withLabels(runLabels)
      .withCommand(["sleep", "infinity"])
      .withBindMounts([{ source: disk, target: data }])
      .start();
    await using database = await new DatabaseContainer(await image("database"))
      .withNetworkMode(network.name)
      .withBindMounts([{ source: disk, target: data }])
      .start();
    // Like a restart of all services after a crash.
    await mustRun("docker", ["update", "--restart", "unless-stopped", database.getId()]);
    await using engine = await new EngineContainer(await image("engine"))
      .withNetworkMode(network.name)
      .withDatabase(database)
      .start();
    const onDisk = (script: string): Promise<string> =>
      mustRun("docker", ["exec", holder.getId(), "bash", "-c", script]);
    const acknowledged: number[] = [];
    const failures: string[] = [];
    let number = 0;

    /** Docker may assign another address to a restarted container. */
    async function currentUri(): Promise<string> {
      const uri = new URL(database.getConnectionUri("owner"));
      uri.hostname = (
        await mustRun("docker", [
          "inspect",
          "--format",
          `{{(index .NetworkSettings.Networks "${network.name}").IPAddress}}`,
          database.getId(),
        ])
      ).trim();
      return uri.href;
    }

    /** Writes until a write fails, or this number of times; one kilobyte each. */
    async function write(times: number): Promise<boolean> {
      let client: Client | undefined;
      try {
        client = new Client({
          connectionString: await currentUri(),
          connectionTimeoutMillis: 3000,
          query_timeout: 5000,
        });
        client.on("error", () => undefined);
        await client.connect();
        for (let turn = 0; turn < times; turn += 1) {
          number += 1;
          await client.query("insert into routing.bgp_updates_probe values ($1::int, repeat(md5($1::int::text), 32))", [
            number,
          ]);
          acknowledged.push(number);
        }
        return true;
      } catch (error) {
        failures.push((error as Error).message);
        return false;
      } finally {
        await Promise.race([client?.end().catch(() => undefined), sleep(500)]);
      }
    }

    /** One query through the engine: answered, or rejected with this project's own error. */
    async function read(): Promise<"served" | "refused"> {
      const response = await fetch(`${engine.getUrl()}/v1/graphql`, {
        method: "POST",
        headers: {
          "content-type": "application/json",
          "x-hasura-admin-secret": engine.getSecret("HASURA_GRAPHQL_ADMIN_SECRET"),
        },
        body: JSON.stringify({ query: "{ view_hijacks(limit: 1) { key } }" }),
        signal: AbortSignal.timeout(20_000),
      });
      const body = (await response.json()) as { data?: unknown; errors?: { extensions: { code: string } }[] };
      if (body.data !== undefined) {
        expect(body).toEqual({ data: { view_hijacks: [] } });
        return "served";
      }
      expect(["postgres-error", "timeout"]).toContain(body.errors?.[0]?.extensions.code);
      return "refused";
    }

    {
      await using owner = await database.connect("owner");
      await owner.query("create table routing.bgp_updates_probe (number int primary key, filling text)");
    }
    expect(await write(20)).toBe(true);
    expect(await read()).toBe("served");

    await onDisk(`dd if=/dev/zero of=${filler} bs=1M count=1000 status=none || true`);
    for (let turn = 0; turn < 20 && failures.length < 3; turn += 1) {
      await write(20_000);
      await read();
    }
    expect(failures.length, "writes that found the disk full").toBeGreaterThan(0);
    expect(failures.join("\n")).toMatch(
      /No space left on device|could not extend|terminat|ECONN|closed|timeout|starting up|recovery/,
    );

    await onDisk(`rm ${filler}`);
    await expect.poll(() => write(1), { timeout: recovery, interval: 300 }).toBe(true);
    await expect.poll(() => read(), { timeout: recovery, interval: 300 }).toBe("served");

    const owner = new Client({ connectionString: await currentUri() });
    await owner.connect();
    const { rows } = await owner.query<{ number: number }>(
      "select number from routing.bgp_updates_probe where length(filling) = 1024",
    );
    await owner.end();
    const there = new Set(rows.map((row) => row.number));
    const lost = acknowledged.filter((one) => !there.has(one));
    expect(lost).toEqual([]);
  },
);
