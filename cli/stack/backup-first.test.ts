import { expect, test } from "vitest";
import { release } from "@routeql/infra/release";
import { dataChange } from "./backup-first.ts";

const services = [{ service: "database", container: "routeql-site-database", image: "routeql/database:1" }];

test.each([
  ["routeql/database:1", release, undefined],
  ["routeql/database:2", release, "another image of the database"],
  ["routeql/database:1", { ...release, migration: "0001" }, "new migrations"],
  ["routeql/database:1", undefined, "new migrations"],
])("an update to %s from release %o has the data change %s", (image, recorded, change) =>
  expect(dataChange({ services, release: recorded }, image)).toBe(change),
);

test.each([
  [{ ...release, ownMigration: "0001_notes" }, undefined],
  [release, "new migrations"],
])("an update from release %o to own migrations has the data change %s", (recorded, change) =>
  expect(dataChange({ services, release: recorded }, "routeql/database:1", "docs/start/desk/migrations")).toBe(change),
);

test("the image of an external database is not the stack's", () =>
  expect(dataChange({ services: [], release }, "routeql/database:1")).toBeUndefined());
