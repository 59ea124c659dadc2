import { expect, test } from "vitest";
import type { StackConfiguration } from "../configuration/configuration.ts";
import { comparison, ownMigrationsPhase } from "./own-migrations-phase.ts";

const release = { version: "0.1.0", migration: "0027" };

function compared(
  outputs: Record<string, unknown>,
  migrations?: string,
  open?: () => Promise<never>,
): Promise<unknown> {
  const configuration = { result: { plain: { migrations } } as unknown as StackConfiguration };
  const asked = { outputs: () => Promise.resolve(outputs), ...(open && { open }) };
  return ownMigrationsPhase({ stack: "x", paths: {} as never }, configuration, asked).work({} as never);
}

test.each([
  [{}, undefined, "skipped, the stack is new or down"],
  [{}, "own", "skipped, the stack is new or down"],
  [{ services: [], release }, undefined, "skipped, there are none"],
])("with the outputs %j and the migrations %s it answers: %s", async (outputs, migrations, answer) => {
  const open = () => Promise.reject(new Error("must not connect"));
  expect(await compared(outputs, migrations, open)).toBe(answer);
});

test.each([
  [{ ...release, ownMigration: "0001_notes" }, undefined],
  [release, "own"],
])("with the release %j and the migrations %s it asks the database", async (recorded, migrations) => {
  const open = () => Promise.reject(new Error("the database is down"));
  expect(await compared({ services: [], release: recorded }, migrations, open)).toBe(
    "not compared: the database does not answer",
  );
});

const named = (...names: readonly string[]) => names.map((name) => ({ name, content: "select 1" }));
const five = named("0001_a", "0002_b", "0003_c", "0004_d", "0005_e");

test.each([
  [2, 2, "the 2 in the database are unchanged"],
  [1, 3, "the one in the database is unchanged, 2 new to be applied: 0002_b, 0003_c"],
  [0, 1, "none in the database, 1 new to be applied: 0001_a"],
  [1, 5, "the one in the database is unchanged, 4 new to be applied: 0002_b to 0005_e"],
])("with %d applied of %d migrations it answers: %s", (applied, count, answer) =>
  expect(comparison(five.slice(0, applied), five.slice(0, count))).toBe(answer),
);

test("refuses a changed migration", () =>
  expect(() => comparison([{ name: "0001_a", content: "select 2" }], five)).toThrow(
    "MIGRATIONS: your migration 0001_a has changed since it was applied",
  ));
