import { execFileSync } from "node:child_process";
import fc from "fast-check";
import { expect, test } from "vitest";
import { accessText, parseAccessText, type StackAccess } from "./access.ts";

const access = (values: Partial<StackAccess>): StackAccess => ({
  url: "https://localhost",
  consoleUrl: undefined,
  caFile: "/x/ca.pem",
  serviceApiKey: "key",
  engineAccessKey: "master",
  adminEmail: "admin@example.net",
  adminPassword: "pw",
  ...values,
});

test("a shell that sources access.env gets exactly the values, whatever characters they have", () => {
  const adminPassword = `it's "$HOME" \`id\` \\ !$(false);&|#`;
  const caFile = "/a folder/it's/ca.pem";
  const print = `printf '%s|%s|%s' "$ADMIN_PASSWORD" "$ROUTEQL_CA_FILE" "$ROUTEQL_CONSOLE_URL"`;
  const script = accessText(access({ adminPassword, caFile })) + print;
  expect(execFileSync("sh", ["-c", script], { encoding: "utf8", env: {} })).toBe(`${adminPassword}|${caFile}|`);
});

test("what is written is read back", () => {
  const value = fc.string({ unit: "grapheme" }).filter((text) => !/[\n\r\0]/.test(text));
  fc.assert(
    fc.property(value, value, (adminPassword, serviceApiKey) => {
      const read = parseAccessText(accessText(access({ adminPassword, serviceApiKey })));
      expect(read.get("ADMIN_PASSWORD")).toBe(adminPassword);
      expect(read.get("SERVICE_API_KEY")).toBe(serviceApiKey);
      expect(read.has("ROUTEQL_CONSOLE_URL")).toBe(false);
    }),
  );
});
