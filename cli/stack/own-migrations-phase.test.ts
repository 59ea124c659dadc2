import { expect, test } from "vitest";
import type { StackConfiguration } from "../configuration/configuration.ts";
import { ownMigrationsPhase } from "./own-migrations-phase.ts";

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
