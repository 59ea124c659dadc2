import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { kinds } from "@routeql/cli/configuration/rotation";
import { keepDrill } from "../harness/figures/drills.ts";
import { deployedStack, type DeployedStack } from "../pulumi/support/deployed-stack.ts";
import { restorePrinted } from "../pulumi/support/restore-printed.ts";
import { keepWorking } from "../pulumi/support/working-clients.ts";

describe("a stack with working clients", { timeout: 400_000 }, () => {
  let stack: DeployedStack;

  beforeAll(async () => {
    stack = await deployedStack({ LOGIN_REQUESTS_PER_MINUTE_PER_ADDRESS: "5000", MONITORING: "scrape" });
    await stack.up();
  }, 600_000);

  afterAll(async () => {
    await stack?.[Symbol.asyncDispose]();
  }, 200_000);

  /** The values of the stack that a rotation of this kind changes. */
  const changed: Readonly<Record<string, () => Promise<string>>> = {
    "service-api-key": () => stack.access("SERVICE_API_KEY"),
    "engine-access-key": () => stack.access("ENGINE_ACCESS_KEY"),
  };

  const rotate = async (kind: string, ...options: string[]): Promise<string> => {
    const { code, output } = await stack.checkout.command("rotate", stack.name, [kind, ...options]);
    expect(code, output).toBe(0);
    return output;
  };

  test.each([...Object.keys(kinds), "all"])(
    "rotates %s without a failed request of a client with the former keys",
    async (kind) => {
      const before = await changed[kind]?.();
      const clients = keepWorking(stack);
      await clients.more(10);
      await rotate(kind);
      // Until the former containers and connections are gone.
      await clients.more(20);
      const { requests, failures } = await clients.end();
      keepDrill("Docker", `rotate ${kind}`, `${failures.length} of ${requests} requests failed`);
      expect(failures).toEqual([]);
      if (before !== undefined) expect(await changed[kind]?.()).not.toBe(before);
      const { data } = await stack.query("{ view_hijacks(limit: 1) { key } }");
      expect(data).toBeDefined();
      expect(await stack.logIn()).toBe("operator");
    },
  );

  test("rejects the former keys when their time is over", async () => {
    const [service, engine] = [await stack.access("SERVICE_API_KEY"), await stack.access("ENGINE_ACCESS_KEY")];
    await rotate("service-api-key", "--overlap", "0");
    await rotate("engine-access-key", "--overlap", "0");
    await expect(stack.logIn(service)).rejects.toThrow("wrong-service-key");
    expect(await stack.query("{ view_hijacks(limit: 1) { key } }", engine)).toMatchObject({
      errors: [{ extensions: { code: "access-denied" } }],
    });
  });

  test("keeps the configuration's text and changes nothing without a rotation", async () => {
    const text = await readFile(join(stack.checkout.folder, `Pulumi.${stack.name}.yaml`), "utf8");
    expect(text).toContain("routeql:databasePasswordsGeneration: 3");
    expect(await stack.up()).toBe("nothing changed");
  });

  test("a failed migration interrupts nothing, and the printed command undoes an update", async () => {
    const migration = "database/migrations/9999_test.sql";
    await stack.checkout.edit(migration, () => "create table routing.notes (note text); select 1 / 0;");
    const before = keepWorking(stack);
    expect(await stack.failingUp()).toContain("division by zero");
    const failed = await before.end();
    keepDrill("Docker", "failed migration", `${failed.failures.length} of ${failed.requests} requests failed`);
    expect(failed.failures).toEqual([]);

    const notes = (...sql: string[]) => stack.checkout.command("psql", stack.name, ["-c", sql.join(";")]);
    await stack.checkout.edit(migration, () => "create table routing.notes (note text);");
    const updated = keepWorking(stack);
    const update = await stack.checkout.command("up", stack.name);
    const { requests, failures } = await updated.end();
    expect(update.code, update.output).toBe(0);
    expect(update.output).toContain("--to-time");
    keepDrill("Docker", "update with a migration", `${failures.length} of ${requests} requests failed`);
    expect(failures).toEqual([]);
    expect(await notes("insert into routing.notes values ('later')")).toMatchObject({ code: 0 });
    await restorePrinted(stack, update.output);
    expect((await notes("select count(*) as notes from routing.notes")).output).toMatch(/notes\s+-+\s+0/);
  });
});
