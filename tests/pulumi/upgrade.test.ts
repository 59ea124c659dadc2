import { expect, test } from "vitest";
import { dockerClient } from "@routeql/host/docker/client";
import { versionBefore } from "./support/checkout.ts";
import { isRootless } from "../harness/require-limits.ts";
import { keepDrill } from "../harness/drills.ts";
import { deployedStack, type DeployedStack } from "./support/deployed-stack.ts";
import { keepWorking } from "./support/working-clients.ts";

test(
  "an upgrade from the previous version keeps the data, the keys and the volumes",
  { timeout: 1_800_000 },
  async (context) => {
    // Its limit of processes counts the processes of a user in all stacks, so health checks fail at random.
    context.skip(isRootless, "the previous version is unreliable on a rootless engine");
    const commit = await versionBefore();
    context.skip(commit === undefined, "the history of this checkout does not include the previous version");
    await using stack = await deployedStack({ LOGIN_REQUESTS_PER_MINUTE_PER_ADDRESS: "5000" }, commit);
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
    const ended = keepWorking(stack);
    const upgrade = await stack.checkout.command("up", stack.name);
    const { requests, failures } = await ended();
    expect(upgrade.code, upgrade.output).toBe(0);
    const refused = failures.filter((failure) => /ECONN|socket/.test(failure)).length;
    const figure = `${refused} of ${requests} requests refused, ${failures.length - refused} answered 503`;
    keepDrill("Docker", "upgrade from the oldest version", figure);
    // The oldest version's gateway goes before its services; two clients send a request every 200 ms.
    expect(refused).toBeLessThan(100);
    expect(await stack.query(count)).toEqual(rows);
    expect(await stack.access("SERVICE_API_KEY")).toBe(key);
    // The version from which it upgrades had no archive, which has volumes of its own.
    expect(await volumes()).toEqual(expect.arrayContaining(volumesBefore));
    expect(await stack.up()).toBe("nothing changed");
    expect((await stack.checkout.command("load", stack.name, ["--demo", "70"])).code).toBe(0);
    await restorePrinted(stack, upgrade.output);
    expect(await stack.query(count)).toEqual(rows);
  },
);

/** Runs the command that `npm run up` printed to restore the data of the moment before. */
async function restorePrinted(stack: DeployedStack, output: string): Promise<void> {
  const [, words = ""] = /npm run restore -- --stack \S+ (--(?:replace|to-time) \S+)/.exec(output) ?? [];
  expect(words, output).not.toBe("");
  const started = performance.now();
  const restored = await stack.checkout.command("restore", stack.name, words.split(" "));
  expect(restored.code, restored.output).toBe(0);
  const seconds = ((performance.now() - started) / 1000).toFixed(0);
  keepDrill(
    "Docker",
    words.startsWith("--to-time") ? "roll back from the archive" : "roll back from a dump",
    `${seconds} s`,
  );
}

test(
  "a failed migration interrupts nothing, and the printed command undoes an update",
  { timeout: 900_000 },
  async () => {
    await using stack = await deployedStack({ LOGIN_REQUESTS_PER_MINUTE_PER_ADDRESS: "5000" });
    await stack.up();
    const migration = "database/migrations/9999_test.sql";
    await stack.checkout.edit(migration, () => "create table routing.notes (note text); select 1 / 0;");
    const ended = keepWorking(stack);
    expect(await stack.failingUp()).toContain("division by zero");
    const failed = await ended();
    keepDrill("Docker", "failed migration", `${failed.failures.length} of ${failed.requests} requests failed`);
    expect(failed.failures).toEqual([]);

    const notes = (...sql: string[]) => stack.checkout.command("psql", stack.name, ["-c", sql.join(";")]);
    await stack.checkout.edit(migration, () => "create table routing.notes (note text);");
    const updated = keepWorking(stack);
    const update = await stack.checkout.command("up", stack.name);
    const { requests, failures } = await updated();
    expect(update.code, update.output).toBe(0);
    expect(update.output).toContain("--to-time");
    keepDrill("Docker", "update with a migration", `${failures.length} of ${requests} requests failed`);
    expect(failures).toEqual([]);
    expect(await notes("insert into routing.notes values ('later')")).toMatchObject({ code: 0 });
    await restorePrinted(stack, update.output);
    expect((await notes("select count(*) as notes from routing.notes")).output).toMatch(/notes\s+-+\s+0/);
  },
);
