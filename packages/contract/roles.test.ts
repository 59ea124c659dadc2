import { expect, test } from "vitest";
import { applicationRoles, isRoleName } from "./roles.ts";

test("excludes the engine's own role", () => {
  expect(isRoleName("admin")).toBe(false);
  expect(applicationRoles.every(isRoleName)).toBe(true);
  for (const other of ["", "Viewer", "viewer ", "1st", "a".repeat(64)]) expect(isRoleName(other)).toBe(false);
});
