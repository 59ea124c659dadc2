import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { readSettings } from "./settings.ts";
import { renderSettingsTable } from "./settings-document.ts";

const readme = readFileSync(new URL("../README.md", import.meta.url), "utf8");
const examples = [...readme.matchAll(/^(?<title>[^\n]+):\n\n```ini\n(?<lines>[^`]+)\n```$/gm)].map(({ groups }) => ({
  title: groups!["title"]!.split("\n").at(-1)!,
  lines: groups!["lines"]!.split("\n"),
}));

test("the README shows every setting as it is", () => {
  expect(readme).toContain(`<!-- settings -->\n${renderSettingsTable()}\n<!-- /settings -->`);
});

test("there is an example for each kind of directory", () => {
  expect(examples.map(({ title }) => title.split(" ")[0])).toEqual(["OpenLDAP", "Active", "FreeIPA", "lldap"]);
});

test.each(examples)("the settings for $title are understood", ({ lines }) => {
  const settings = Object.fromEntries(lines.map((line) => [line.slice(0, line.indexOf("=")), line.slice(line.indexOf("=") + 1)]));
  const read = readSettings(
    {
      DATABASE_URL: "postgres://sidecar:c2Vx7hPq@database/routeql",
      SESSIONS_URL: "redis://sessions",
      SERVICE_API_KEY: "f3a9d1c07b5e4826a1c9e07d35b8f264",
      KEY_ENCRYPTION_KEY: "b7e20f4c9d1a6835f0c4a7e92d5b8163",
      ...settings,
    },
    () => "content of a file",
  );
  expect(read.LDAP_URL?.length).toBeGreaterThan(0);
  expect(read.LDAP_ROLES.length).toBeGreaterThan(1);
});
