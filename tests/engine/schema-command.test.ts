import { buildSchema } from "graphql";
import { resolve } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createEngine } from "@routeql/engine";
import { startDatabase, type StartedDatabaseContainer } from "../harness/containers/database-container.ts";
import { run } from "../harness/process.ts";

const program = resolve(import.meta.dirname, "../../cli/main.ts");
let database: StartedDatabaseContainer;

beforeAll(async () => {
  database = await startDatabase();
});

afterAll(() => database.stop());

const schema = (...args: string[]) => run(process.execPath, [program, "schema", ...args]);

test.each(["admin", "viewer", "tenant"])(
  "npm run schema prints the same schema for %s as the engine serves",
  async (role) => {
    const address = database.getConnectionUri("engine");
    const { code, stdout, stderr } = await schema("--role", role, "--database", address);
    expect([code, stderr]).toEqual([0, ""]);
    expect(buildSchema(stdout).getQueryType()?.getFields()).toHaveProperty("view_hijacks");
    const engine = await createEngine({ metadata: "hasura-metadata", environment: { ROUTEQL_DATABASE_URL: address } });
    try {
      expect(stdout).toBe(`${engine.schemaText(role)}\n`);
    } finally {
      await engine.close();
    }
  },
  240_000,
);

test("npm run schema lists the roles for an unknown one, and never the password", async () => {
  const address = database.getConnectionUri("engine");
  const { code, stdout, stderr } = await schema("--role", "viewr", "--database", address);
  expect([code, stdout]).toEqual([1, ""]);
  expect(stderr).toContain("use one of admin, analyst, operator, tenant, viewer.");
  expect(stderr).not.toContain(new URL(address).password);
}, 240_000);

test("npm run schema explains missing options and an unreachable database", async () => {
  expect((await schema()).stderr).toContain("give --role ROLE.");
  const { code, stderr } = await schema("--role", "viewer", "--database", "postgres://nobody:hidden@127.0.0.1:9/none");
  expect(code).toBe(1);
  expect(stderr).toContain("The database cannot be read");
  expect(stderr).not.toContain("hidden");
  expect((await schema("--help")).stdout).toContain("--metadata PATH");
}, 240_000);
