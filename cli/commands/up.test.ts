import { expect, test } from "vitest";
import type { StackAccess } from "../access/access.ts";
import { upSummary } from "./up.ts";

const access: StackAccess = {
  stack: "site",
  url: "https://site.example",
  consoleUrl: undefined,
  caFile: "ca.pem",
  serviceApiKey: "service key",
  engineAccessKey: "engine key",
  adminEmail: "operator@site.example",
  adminPassword: "generated",
};
const others = { access, times: [], changes: {}, warnings: [], replacement: undefined, metrics: undefined };

test("names the file that stores a generated password", () => {
  expect(upSummary("site", { ...others, newPassword: true, isNew: true }, 1)).toContain(
    "  Login     operator@site.example with the generated password generated (stored in access.env)\n",
  );
  expect(upSummary("site", { ...others, newPassword: false, isNew: true }, 1)).not.toContain("Login");
});

test("only the summary of a new stack proposes generated updates", () => {
  const result = { ...others, newPassword: false };
  expect(upSummary("site", { ...result, isNew: true }, 1)).toContain("npm run load -- --demo 10000");
  expect(upSummary("site", { ...result, isNew: false }, 1)).not.toContain("--demo");
});
