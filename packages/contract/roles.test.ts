import { expect, test } from "vitest";
import { applicationRoles, isApplicationRole } from "./roles.ts";

test("excludes the engine's own role", () => {
  expect(isApplicationRole("admin")).toBe(false);
  expect(applicationRoles.every(isApplicationRole)).toBe(true);
  for (const other of ["", "Viewer", "viewer ", "constructor"]) expect(isApplicationRole(other)).toBe(false);
});
