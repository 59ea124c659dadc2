import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { kinds } from "@routeql/cli/stack/rotation";
import { keepDrill } from "../harness/drills.ts";
import { deployedStack, type DeployedStack } from "./support/deployed-stack.ts";
import { keepWorking } from "./support/working-clients.ts";

describe("rotation under load", { timeout: 400_000 }, () => {
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
      const stop = keepWorking(stack);
      await delay(2000);
      await rotate(kind);
      // The former containers and connections are gone.
      await delay(2000);
      const { requests, failures } = await stop();
      keepDrill("Docker", `rotate ${kind}`, `${failures.length} of ${requests} requests failed`);
      expect(failures).toEqual([]);
      expect(requests).toBeGreaterThan(10);
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
});
