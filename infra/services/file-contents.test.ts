import { isSecret, output } from "@pulumi/pulumi";
import { expect, test } from "vitest";
import { describeTestService, testSecrets } from "../testing/descriptions.ts";
import { fileContents } from "./file-contents.ts";

const bind = { BIND_FILE: "ldap-bind-password" } as const;

test("files and secrets are found by their paths, and secrets are Pulumi secrets", async () => {
  const service = describeTestService({ files: { "a/b": "text", key: { secret: "tls-private-key" } }, secrets: bind });
  const contents = fileContents(service, { ...testSecrets(), "ldap-bind-password": output("bind") });
  expect([...contents.keys()].toSorted()).toEqual(["a/b", "key", "secrets/ldap-bind-password"]);
  expect(contents.get("a/b")).toEqual({ content: "text", isSecret: false });
  for (const path of ["key", "secrets/ldap-bind-password"]) {
    const file = contents.get(path);
    expect([file?.isSecret, await isSecret(output(file?.content))]).toEqual([true, true]);
  }
});

test("rejects a reference to a secret that is not configured", () => {
  expect(() => fileContents(describeTestService({ secrets: bind }), testSecrets())).toThrow(
    "engine needs the secret ldap-bind-password, which is not configured.",
  );
});
