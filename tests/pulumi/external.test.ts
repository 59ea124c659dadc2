import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { changedServices, deployedStack, everythingOf } from "./support/deployed-stack.ts";
import type { DeployedStack } from "./support/deployed-stack.ts";
import { type OutsideParts, settingsFor, startOutsideParts } from "./support/outside-parts.ts";

const count = "{ view_bgpupdates_aggregate { aggregate { count } } }";
const counted = (rows: number): unknown => ({ data: { view_bgpupdates_aggregate: { aggregate: { count: rows } } } });

describe("a stack with an external database and session store, both encrypted", { timeout: 400_000 }, () => {
  let outside: OutsideParts;
  let stack: DeployedStack;
  let folder = "";
  const run = async (command: string, ...args: readonly string[]): Promise<string> => {
    const { code, output } = await stack.checkout.command(command, stack.name, args);
    expect(code, output).toBe(0);
    return output;
  };

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "routeql-outside-"));
    outside = await startOutsideParts();
    stack = await deployedStack({ ...(await settingsFor(outside, folder)), ENGINE: "embedded" });
    expect(await stack.up()).toMatch(/^\d+ created$/);
  }, 600_000);

  afterAll(async () => {
    await stack?.[Symbol.asyncDispose]();
    await outside?.[Symbol.asyncDispose]();
    await rm(folder, { recursive: true, force: true });
  }, 200_000);

  test("loads data, logs in and answers without its own database and session store", async () => {
    await run("load", "--demo", "50");
    expect(await stack.query(count)).toEqual(counted(50));
    expect(await stack.logIn()).toBe("operator");
    expect(Object.keys(await stack.containers()).toSorted()).toEqual(["auth-sidecar", "engine", "gateway", "migrate"]);
    const said = await run(
      "psql",
      "--tuples-only",
      "-c",
      "select version from pg_stat_ssl where pid = pg_backend_pid()",
    );
    expect(said).toContain("TLSv1.3");
  });

  test("backs up and restores the external database", async () => {
    const file = join(folder, "all.dump");
    await run("backup", "--to", file);
    await run("psql", "-c", "delete from routing.bgp_updates");
    expect(await stack.query(count)).toEqual(counted(0));
    await run("restore", "--replace", file);
    expect(await stack.query(count)).toEqual(counted(50));
    expect(await stack.logIn()).toBe("operator");
  });

  test("a changed administrator password reaches the job, and then nothing changes", async () => {
    const password = "another-password-of-the-administrator";
    await using superuser = await outside.database.connect("bootstrap");
    await superuser.query(`alter role administrator password '${password}'`);
    await stack.checkout.edit(".env", (text) => text.replace(outside.databaseUrl(), outside.databaseUrl(password)));
    const before = await stack.containers();
    await stack.up();
    expect(changedServices(before, await stack.containers())).toEqual(["migrate"]);
    expect(await stack.up()).toBe("nothing changed");
  });

  test("down removes the stack and keeps external services", async () => {
    await run("down");
    expect(await everythingOf(stack.name)).toEqual([]);
    await using superuser = await outside.database.connect("bootstrap");
    expect((await superuser.query("select from pg_database where datname = 'routes'")).rowCount).toBe(1);
  });
});
