import { expect, test } from "vitest";
import { applicationRoles, isApplicationRole } from "./application-role.ts";

test("the engine's own role is no role of the application", () => {
  expect(isApplicationRole("admin")).toBe(false);
  expect(applicationRoles.every(isApplicationRole)).toBe(true);
  for (const other of ["", "Viewer", "viewer ", "constructor"]) expect(isApplicationRole(other)).toBe(false);
});
