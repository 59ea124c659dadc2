/**
 * A year of a small site in the time of its work: the jobs of the operator's calendar in their order, on a stack whose updates have the times of the
 * year that ends today. The clocks of the services do not jump; tests/faults/07-clock.test.ts covers that.
 */
import { chown, mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { keepDrill } from "../harness/figures/drills.ts";
import { mustRun, run } from "../harness/process.ts";
import { deployedStack, type DeployedStack } from "../pulumi/support/deployed-stack.ts";
import { keepWorking } from "../pulumi/support/working-clients.ts";

const day = 86_400_000;
const today = Math.floor(Date.now() / day) * day;
const weeks = Array.from({ length: 52 }, (_, week) => today - (52 - week) * 7 * day);
const months = Array.from({ length: 12 }, (_, month) => month);
const weeksOf = (month: number): readonly number[] => weeks.filter((_, week) => Math.floor((week * 12) / 52) === month);
const updatesOfWeek = 20_000;
/** Days of updates that the site keeps: not at the edge of a week, because a day may end during the run. */
const kept = 88;
const crashes: ReadonlyMap<number, string> = new Map([
  [1, "database"],
  [3, "engine"],
  [6, "auth-sidecar"],
  [8, "sessions"],
  [10, "gateway"],
]);
const monthOfFullDisk = 5;
const userOfDatabase = 10_105;
/** A disk of its own. An interrupted run leaves it to the next one. */
const archive = "/run/routeql-year";
const typePassword = { through: ["sh", "-c", 'printf "a quiet orchard in april\\n" | "$0" "$@"'] };

/** State at the end of a month, in MiB: sizes on disk, and the memory of each service. */
interface MonthEnd {
  readonly database: number;
  readonly archive: number;
  readonly memory: ReadonlyMap<string, number>;
}

describe("a year of a small site", { timeout: 900_000 }, () => {
  let stack: DeployedStack;
  let sent = 0;
  const failed = new Map<string, readonly string[]>();
  /** Loaded updates by the day of their week. */
  const loaded = new Map<number, number>();
  const ends: MonthEnd[] = [];

  const command = async (name: string, ...args: readonly string[]): Promise<string> => {
    const { code, output } = await stack.checkout.command(name, stack.name, args, typePassword);
    expect(code, output).toBe(0);
    return output;
  };
  const select = async (sql: string): Promise<number> => Number(/^\d+$/m.exec(await command("psql", "-Atc", sql))?.[0]);
  const inside = (service: string, ...words: readonly string[]) =>
    run("docker", ["exec", `routeql-${stack.name}-${service}`, ...words]);

  /** Does work beside clients and adds their failed requests to its kind. */
  async function beside<T>(kind: string, work: () => Promise<T>): Promise<T> {
    const clients = keepWorking(stack);
    await clients.more(5);
    try {
      return await work();
    } finally {
      await clients.more(5);
      const { requests, failures } = await clients.end();
      sent += requests;
      failed.set(kind, [...(failed.get(kind) ?? []), ...failures]);
    }
  }

  beforeAll(async () => {
    await run("umount", [archive]);
    await mkdir(archive, { recursive: true });
    await mustRun("mount", ["-t", "tmpfs", "-o", "size=2g,mode=0700", "tmpfs", archive]);
    await chown(archive, userOfDatabase, userOfDatabase);
    stack = await deployedStack({
      ARCHIVE_DIRECTORY: archive,
      MIGRATIONS: "year/migrations",
      LOGIN_REQUESTS_PER_MINUTE_PER_ADDRESS: "6000",
    });
    await mustRun("mkdir", ["-p", join(stack.checkout.folder, "year/migrations")]);
    await migrate(0);
    await stack.up();
  }, 900_000);

  afterAll(async () => {
    await stack?.[Symbol.asyncDispose]();
    await mustRun("umount", [archive]);
    await rm(archive, { recursive: true });
  }, 200_000);

  const migrate = (month: number): Promise<void> =>
    stack.checkout.edit(`year/migrations/${String(month + 1).padStart(4, "0")}_month.sql`, () =>
      month === 0
        ? "create schema year; create table year.months (month int primary key); insert into year.months values (0);"
        : `alter table year.months add column month_${month} text; insert into year.months values (${month});`,
    );

  async function load(time: number): Promise<void> {
    const [count, seed, start] = [String(updatesOfWeek), String(time / day), new Date(time).toISOString()];
    const output = await command("load", "--demo", count, "--seed", seed, "--start", start);
    loaded.set(time, Number(/loaded +([\d,]+)/.exec(output)?.[1]?.replaceAll(",", "")));
  }

  /** A backup, weekly and complete at the start of a month; the archive keeps two complete ones. */
  async function backUp(type: "full" | "diff"): Promise<void> {
    const count = ["RETENTION_FULL_TYPE=count", "RETENTION_FULL=2"].map((setting) => `PGBACKREST_REPO1_${setting}`);
    const { code, stderr } = await inside("archive", "env", ...count, "pgbackrest-archive", "backup", type);
    expect(code, stderr).toBe(0);
  }

  async function crash(service: string): Promise<void> {
    const { [service]: id = "" } = await stack.containers();
    process.kill(Number(await mustRun("docker", ["inspect", "--format", "{{.State.Pid}}", id])), "SIGKILL");
    const isServed = async (): Promise<boolean> => {
      await stack.logIn();
      return (await stack.query("{ view_hijacks(limit: 1) { key } }")).data !== undefined;
    };
    await expect.poll(() => isServed().catch(() => false), { timeout: 60_000, interval: 500 }).toBe(true);
  }

  /** The archive's disk is full while updates are loaded. */
  async function fillDisk(time: number): Promise<void> {
    const [, free = ""] = (await mustRun("df", ["--output=avail", "--block-size=1", archive])).trim().split("\n");
    const filling = join(archive, "filling");
    await mustRun("fallocate", ["--length", free.trim(), filling]);
    await load(time);
    const { code, stderr } = await inside("archive", "pgbackrest-archive", "backup", "diff");
    expect(code, stderr).not.toBe(0);
    expect(stderr).toContain("must have space");
    await rm(filling);
    await backUp("full");
  }

  /** Every update of the days to keep is there, no other one, and nothing else is lost. */
  async function check(month: number, keepDays: number): Promise<void> {
    const expected = [...loaded]
      .filter(([time]) => time >= today - keepDays * day)
      .reduce((sum, [, rows]) => sum + rows, 0);
    expect(await select("select count(*) from routing.bgp_updates")).toBe(expected);
    expect(await select("select count(*) from year.months")).toBe(month + 1);
    expect(await select("select count(*) from auth.users where email like 'month-%'")).toBe(month + 1);
  }

  async function endMonth(): Promise<void> {
    const stats = await mustRun("docker", ["stats", "--no-stream", "--format", "{{.Name}} {{.MemUsage}}"]);
    const used = stats.matchAll(new RegExp(`^routeql-${stack.name}-(\\S+) ([\\d.]+)([MG])iB`, "gm"));
    ends.push({
      database: (await select("select pg_database_size(current_database())")) / 2 ** 20,
      archive: Number.parseInt(await mustRun("du", ["--summarize", "--block-size=M", archive]), 10),
      memory: new Map([...used].map(([, name = "", size, unit]) => [name, Number(size) * (unit === "G" ? 1024 : 1)])),
    });
  }

  test.each(months)("month %i", async (month) => {
    if (month > 0) {
      await migrate(month);
      await beside("upgrades", () => stack.up());
    }
    const times = weeksOf(month);
    for (const [index, time] of times.entries()) {
      if (month === monthOfFullDisk && index === 1) await beside("full disk", () => fillDisk(time));
      else await beside("loads and backups", () => load(time).then(() => backUp(index === 0 ? "full" : "diff")));
    }
    await beside("accounts", () => command("users", "add", `month-${month}@example.net`, "--role", "viewer"));
    const service = crashes.get(month);
    if (service !== undefined) await beside(`crash of ${service}`, () => crash(service));
    await beside("rotations", () => command("rotate", "all"));
    const keepDays = (today - times.at(-1)!) / day + kept;
    await beside("pruning", () => command("prune", "--keep-days", String(keepDays)));
    await beside("drills", () => command("restore", "--drill"));
    await check(month, keepDays);
    await endMonth();
  });

  test("the archive restores the year, and disk and memory stay flat", async () => {
    await command("restore", "--latest");
    await check(months.length - 1, 7 + kept);
    for (const month of months)
      await command("query", "--email", `month-${month}@example.net`, "{ view_hijacks(limit: 1) { key } }");
    // Services have the names of the sizes.
    console.table(ends.map(({ database, archive: onDisk }) => ({ database, archive: onDisk })));
    console.table(ends.map(({ memory }) => Object.fromEntries(memory)));
    console.table(new Map([...failed].map(([kind, list]) => [kind, list.length])));
    const lost = [...failed.values()].reduce((sum, list) => sum + list.length, 0);
    keepDrill("Docker", "year", `no row lost, ${lost} of ${sent} requests failed`);
    const perMonth = (size: (end: MonthEnd) => number): string => ends.map((end) => Math.round(size(end))).join("→");
    keepDrill(
      "Docker",
      "year's sizes",
      `database ${perMonth(({ database }) => database)}, archive ${perMonth((end) => end.archive)}, memory ${perMonth(({ memory }) => memory.values().reduce((sum, size) => sum + size, 0))}`,
    );
    expect([...failed].filter(([kind, list]) => !kind.startsWith("crash") && list.length > 0)).toEqual([]);
    // From the fifth month on, as much is deleted as is added.
    const [settled, last] = [ends[4]!, ends.at(-1)!];
    expect(last.database).toBeLessThan(settled.database * 1.2);
    expect(last.archive).toBeLessThan(settled.archive * 1.5);
    for (const [name, size] of last.memory)
      expect(size, name).toBeLessThan((settled.memory.get(name) ?? size) * 1.5 + 50);
  });
});
