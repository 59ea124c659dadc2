import { readdirSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import { applicationRoles } from "@routeql/contract/roles";
import { loadMetadata } from "@routeql/metadata/read/load";
import { rolesWithPermission } from "@routeql/metadata/read/roles";
import { validateMetadata } from "@routeql/metadata/read/validate";
import { expect, test } from "vitest";
import { repository } from "../boundaries/packages.ts";

test("the roles of the contract are those of the metadata, and pending", () => {
  const { metadata } = validateMetadata(loadMetadata(resolve(repository, "hasura-metadata")), {
    allowUnsupported: false,
  });
  const named = [...rolesWithPermission(metadata!)];
  expect(["pending", ...named].toSorted()).toEqual(applicationRoles.toSorted());
});

test("the database accepts the roles of the contract and no other", () => {
  const folder = resolve(repository, "database/migrations");
  const migrations = readdirSync(folder)
    .toSorted()
    .map((name) => readFileSync(resolve(folder, name), "utf8"));
  // A later migration replaces the check.
  const [, listed = ""] = [...migrations.join("\n").matchAll(/check \(role in \(([^)]*)\)\)/g)].at(-1) ?? [];
  expect(new Set([...listed.matchAll(/'(\w+)'/g)].map(([, role]) => role))).toEqual(new Set(applicationRoles));
});
