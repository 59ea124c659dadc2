import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { vrpsCommand } from "@routeql/routing/commands/vrps";
import { startDatabase, type StartedDatabaseContainer } from "../harness/containers/database-container.ts";
import { type CommandResult, rowsOf, runCommand } from "./support.ts";

describe("RPKI", { timeout: 60_000 }, () => {
  let database: StartedDatabaseContainer;
  let folder = "";
  const roas = [
    { asn: "AS64500", prefix: "192.0.2.0/23", maxLength: 24, ta: "test" },
    { asn: 64_501, prefix: "192.0.2.0/24", maxLength: 24, ta: "test" },
    { asn: "AS0", prefix: "198.51.100.0/24", maxLength: 32, ta: "test" },
    { asn: 64_502, prefix: "2001:db8::/32", maxLength: 48, ta: "test" },
  ];

  const vrps = (...args: string[]): Promise<CommandResult> =>
    runCommand(vrpsCommand, args, async () => ({
      config: { connectionString: database.getConnectionUri("loader") },
      close: async () => {},
    }));
  const file = async (list: unknown): Promise<string> => {
    const path = join(folder, "list.json");
    await writeFile(path, JSON.stringify(list));
    return path;
  };
  const statuses = async (): Promise<Record<string, string>> =>
    Object.fromEntries(
      (await rowsOf(database, "engine", "select key, rpki_status as status from view_hijacks order by 1")).map(
        (row) => {
          const { key, status } = row as { key: string; status: string };
          return [key, status];
        },
      ),
    );
  const hijack = (key: string, prefix: string, origin: number, active = true): string =>
    `insert into routing.hijacks (key, type, prefix, hijack_as, time_detected, active, withdrawn)
     values ('${key}', 'E|0|-|-', '${prefix}', ${origin}, '2026-01-01', ${active}, ${!active});`;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "routeql-rpki-"));
    database = await startDatabase();
  }, 180_000);
  afterAll(async () => {
    await database?.stop();
    await rm(folder, { recursive: true });
  });

  test("hijacks are validated with each list, new ones as they are inserted", async () => {
    await using loader = await database.connect("loader");
    await loader.query(hijack("valid", "192.0.2.0/24", 64_500) + hijack("other", "192.0.2.0/24", 64_666));
    expect(await statuses()).toEqual({ other: "NA", valid: "NA" });
    const metadata = { generated: 1_767_225_600 };
    expect(await vrps(await file({ metadata, roas }))).toEqual({
      code: 0,
      stderr: "",
      stdout: "payloads  4, 4 new, 0 removed; made at 2026-01-01T00:00:00.000Z\nhijacks   2 with another status\n",
    });
    await loader.query(
      hijack("long", "192.0.2.128/25", 64_501) +
        hijack("none", "203.0.113.0/24", 64_500) +
        hijack("zero", "198.51.100.0/24", 0) +
        hijack("unknown", "192.0.2.0/24", -1) +
        hijack("six", "2001:db8:1::/48", 64_502),
    );
    expect(await statuses()).toEqual({
      long: "IL",
      none: "NF",
      other: "IA",
      six: "VD",
      unknown: "IU",
      valid: "VD",
      zero: "IA",
    });
    expect(
      await rowsOf(database, "backup", "select finished_at::text from migrations.finished_runs where run = 'vrps'"),
    ).toEqual([{ finished_at: "2026-01-01 00:00:00+00" }]);
    // Another list changes active hijacks only.
    await loader.query("update routing.hijacks set active = false, withdrawn = true where key = 'other'");
    const changed = roas.map((roa) => (roa.asn === 64_501 ? { ...roa, asn: 64_666, maxLength: 25 } : roa));
    expect((await vrps(await file({ roas: changed }))).stdout).toContain("4, 1 new, 1 removed");
    expect(await statuses()).toMatchObject({ other: "IA", long: "IA" });
  });

  test("the origin of a hijack of the path is the end of its newest path", async () => {
    await using loader = await database.connect("loader");
    await loader.query(
      `insert into routing.hijacks (key, type, prefix, hijack_as, time_detected, last_path)
       values ('path', 'E|1|-|-', '192.0.2.0/24', 64666, '2026-01-01', '{64496,64666,64500}')`,
    );
    expect(await statuses()).toMatchObject({ path: "VD" });
  });

  test("validity is that of RFC 6811 on random routes", async () => {
    await using owner = await database.connect("owner");
    const { rows } = await owner
      .query<{ checked: string; wrong: string }>(`
      begin;
      insert into routing.vrps (prefix, max_length, asn)
      select distinct network(set_masklen(('10.0.' || (n * 7 % 64) || '.0')::inet, 16 + n % 9)), 16 + n % 9 + n * 3 % 4, n % 5
      from generate_series(0, 400) n;
      create temporary table routes on commit drop as
      select network(set_masklen(('10.0.' || (n * 5 % 64) || '.0')::inet, 15 + n % 12))::inet as prefix, n % 6 as origin from generate_series(0, 2000) n;
      create temporary table verdicts on commit drop as
      select routing.rpki_validity(prefix, origin) as found, case
        when not exists (select from routing.vrps v where v.prefix >>= r.prefix) then '{NF}'::text[]
        when exists (select from routing.vrps v where v.prefix >>= r.prefix and v.asn = origin and v.asn > 0 and masklen(r.prefix) <= max_length) then '{VD}'
        else '{IA,IL}' end as allowed
      from routes r`)
      .then(() =>
        owner.query<{ checked: string; wrong: string }>(
          "select count(distinct found) as checked, count(*) filter (where found <> all (allowed)) as wrong from verdicts",
        ),
      );
    await owner.query("rollback");
    expect(rows).toEqual([{ checked: "4", wrong: "0" }]);
  });

  test("a list from an address, a short list and a missing one", async () => {
    const server = createServer((request, response) => {
      if (request.url === "/json") response.end(JSON.stringify({ roas: roas.slice(0, 1) }));
      else response.writeHead(404).end();
    });
    await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
    const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    try {
      expect(await vrps(`${address}/json`)).toMatchObject({
        code: 1,
        stderr: expect.stringContaining("has 1 payloads, less than half of the 4 that are stored") as string,
      });
      expect(await vrps("--fewer", `${address}/json`)).toMatchObject({ code: 0 });
      expect(await vrps(`${address}/none`)).toMatchObject({ code: 1, stderr: `${address}/none answered 404\n` });
      const withPassword = await vrps("http://user:word@127.0.0.1/json");
      expect(withPassword).toMatchObject({
        code: 1,
        stderr: expect.stringContaining("has a user or a password") as string,
      });
      expect(withPassword.stderr).not.toContain("word@");
      expect(await vrps(join(folder, "none.json"))).toMatchObject({
        code: 1,
        stderr: expect.stringContaining("there is no such file") as string,
      });
    } finally {
      server.close();
    }
  });
});
