import { isSecret, output } from "@pulumi/pulumi";
import { expect, test } from "vitest";
import { describeTestService, testSecrets } from "../../testing/descriptions.ts";
import { fileContents } from "./files.ts";

const bind = { BIND_FILE: "ldap-bind-password" } as const;

test("files and secrets are found by their paths, and secrets are Pulumi secrets", async () => {
  const service = describeTestService({ files: { "a/b": "text", key: { secret: "tls-private-key" } }, secrets: bind });
  const contents = fileContents(service, { ...testSecrets(), "ldap-bind-password": output("bind") });
  expect([...contents.keys()].toSorted()).toEqual(["a/b", "key", "secrets/ldap-bind-password"]);
  expect(contents.get("a/b")).toBe("text");
  for (const path of ["key", "secrets/ldap-bind-password"]) expect(await isSecret(output(contents.get(path)))).toBe(true);
});

test("a secret that is not configured cannot be asked for", () => {
  expect(() => fileContents(describeTestService({ secrets: bind }), testSecrets())).toThrow(
    "engine needs the secret ldap-bind-password, which is not configured.",
  );
});
