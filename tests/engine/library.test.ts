import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { run } from "../harness/process.ts";
import { startRouting, type RoutingWorld } from "./support/routing.ts";

const repository = resolve(import.meta.dirname, "../..");
let world: RoutingWorld;

beforeAll(async () => {
  world = await startRouting();
});

afterAll(() => world[Symbol.asyncDispose]());

test("the example in docs/reference/engine.md runs and shows a tenant its own hijacks", async () => {
  const [, example = ""] =
    /```ts\n(.*?)```/s.exec(readFileSync(resolve(repository, "docs/reference/engine.md"), "utf8")) ?? [];
  const env = { ...process.env, DATABASE_URL: world.database.getConnectionUri("engine") };
  const { code, stdout, stderr } = await run(process.execPath, ["--input-type=module-typescript", "--eval", example], {
    cwd: repository,
    env,
  });
  expect([code, stderr]).toEqual([0, ""]);
  const { view_hijacks: hijacks } = JSON.parse(stdout) as { view_hijacks: { key: string }[] };
  expect(hijacks.map(({ key }) => key).toSorted()).toEqual(["h1", "h2"]);
}, 60_000);
