import { expect, test } from "vitest";
import { settingNames, settings } from "../settings/list.ts";
import { checkValue } from "../settings/parse.ts";
import { placeholder, withoutSecrets } from "./placeholders.ts";

test("keeps values that are not secret", () => {
  expect(withoutSecrets({ publicHost: "routes.example.net", httpsPort: 8443 })).toEqual({ publicHost: "routes.example.net", httpsPort: 8443 });
});

test("keeps a URL's address and drops its password", () => {
  const { databaseUrl } = withoutSecrets({ databaseUrl: "postgres://root:hidden@db.example.net:6432/routes?sslmode=require" });
  expect(databaseUrl).toBe(`postgres://root:${placeholder("databaseUrl")}@db.example.net:6432/routes?sslmode=require`);
});

test("replaces every secret setting by a value that passes its validation", () => {
  const examples: Record<string, string> = { databaseUrl: "postgres://root:hidden@db/routes", sessionsUrl: "redis://:hidden@sessions", alertWebhookUrl: "https://hidden.example.net" };
  for (const name of settingNames.filter((candidate) => settings[candidate].type === "secret")) {
    const { [name]: replaced } = withoutSecrets({ [name]: examples[name] ?? "hidden" });
    expect(replaced).not.toContain("hidden");
    expect(checkValue(name, replaced), name).toBeUndefined();
  }
});
