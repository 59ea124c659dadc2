import { readFileSync } from "node:fs";
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
  const migration = readFileSync(
    resolve(repository, "database/migrations/0001_organisations_and_accounts.sql"),
    "utf8",
  );
  const [, listed = ""] = /role\s+text[^,]*?check \(role in \(([^)]*)\)\)/s.exec(migration) ?? [];
  expect(new Set([...listed.matchAll(/'(\w+)'/g)].map(([, role]) => role))).toEqual(new Set(applicationRoles));
});
