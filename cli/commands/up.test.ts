import { expect, test } from "vitest";
import type { StackAccess } from "../access/access.ts";
import { upSummary } from "./up.ts";

test("names the file that stores a generated password", () => {
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
  const others = { times: [], changes: {}, warnings: [], replacement: undefined, metrics: undefined };
  expect(upSummary("site", { access, ...others, newPassword: true }, 1)).toContain(
    "  Login     operator@site.example with the generated password generated (stored in access.env)\n",
  );
  expect(upSummary("site", { access, ...others, newPassword: false }, 1)).not.toContain("Login");
});
