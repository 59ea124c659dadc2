import { randomBytes } from "node:crypto";
import { ComponentResource, isSecret, output } from "@pulumi/pulumi";
import type { Output } from "@pulumi/pulumi";
import { expect, test } from "vitest";
import { withDefaults } from "../settings/reading/complete.ts";
import { secretNames } from "../description/secrets.ts";
import type { Secrets } from "../description/secrets.ts";
import { recordStack } from "../testing/recorded-stack.ts";
import { type Generations, makeSecrets } from "./secrets.ts";
import type { GivenSecrets } from "../settings/reading/argument-problems.ts";
import { databaseAccess } from "./database.ts";

const value = <Value>(given: Output<Value>): Promise<Value> => new Promise((resolve) => void given.apply(resolve));

async function make(given: GivenSecrets = {}, raised: Partial<Generations> = {}) {
  let secrets: Secrets | undefined;
  const resources = await recordStack(() => {
    secrets = makeSecrets(given, {
      tlsPrivateKey: output("PRIVATE KEY"),
      protectData: false,
      database: databaseAccess({ database: "single", databaseInstances: 3, databaseReadFromCopies: true }, given),
      generations: { ...withDefaults({}, "local"), ...raised },
      named: (part) => part,
      parent: new ComponentResource("routeql:test:Parent", "parent"),
    });
  });
  if (secrets === undefined) throw new Error("No secrets were made.");
  return { secrets, generated: resources.filter(({ type }) => type === "random:index/randomPassword:RandomPassword") };
}

test("every secret has a value, and every value is a Pulumi secret", async () => {
  const { secrets } = await make();
  expect(Object.keys(secrets).toSorted()).toEqual([...secretNames].toSorted());
  for (const name of secretNames) {
    expect(await isSecret(secrets[name]), name).toBe(true);
    expect(await value(secrets[name]), name).not.toBe("");
  }
});

test("generated secrets have 43 letters and digits", async () => {
  const { generated } = await make();
  expect(generated).toHaveLength(19);
  for (const { inputs } of generated) expect(inputs).toEqual({ length: 43, special: false });
});

test("a given secret is used and not generated", async () => {
  const key = randomBytes(20).toString("hex");
  const { secrets, generated } = await make({ engineAccessKey: key });
  expect(await value(secrets["engine-access-key"])).toBe(key);
  expect(await isSecret(secrets["engine-access-key"])).toBe(true);
  expect(generated.map(({ name }) => name)).not.toContain("engine-access-key");
});

test("the directory's password is never generated", async () => {
  expect((await make()).secrets).not.toHaveProperty("ldap-bind-password");
  const { secrets, generated } = await make({ ldapBindPassword: "a directory's password" });
  const password = secrets["ldap-bind-password"] ?? output("none");
  expect(await value(password)).toBe("a directory's password");
  expect(await isSecret(password)).toBe(true);
  expect(generated).toHaveLength(19);
});

test("each database URL has the password of its role", async () => {
  const { secrets } = await make();
  for (const role of ["engine", "sidecar", "metadata"] as const) {
    const password = await value(secrets[`${role}-password`]);
    expect(await value(secrets[`${role}-database-url`])).toBe(
      `postgres://routeql_${role}:${password}@database:5432/routeql`,
    );
  }
  expect(await value(secrets["sessions-url"])).toBe(
    `redis://${(await value(secrets["sessions-login"])).replace(" ", ":")}@sessions:6379/0`,
  );
});

test("raised generations replace the passwords and pass on the former keys", async () => {
  const { secrets, generated } = await make({}, { databasePasswordsGeneration: 2, serviceApiKeyGeneration: 2 });
  const password = await value(secrets["engine-password"]);
  expect(await value(secrets["engine-database-url"])).toBe(
    `postgres://routeql_engine_2:${password}@database:5432/routeql`,
  );
  const names = generated.map(({ name }) => name);
  expect(names).toEqual(expect.arrayContaining(["engine-password-2", "service-api-key", "service-api-key-2"]));
  expect(names).not.toContain("engine-password");
});

test("keeps each generation of the key encryption key and passes on the previous one", async () => {
  const name = ({ name }: { name: string }) => name;
  const { secrets, generated } = await make({}, { keyEncryptionKeyGeneration: 3 });
  const generations = ["key-encryption-key-0", "key-encryption-key", "key-encryption-key-2", "key-encryption-key-3"];
  expect(generated.map(name).filter((made) => made.startsWith("key-encryption-key"))).toEqual(generations);
  const previous = await value(secrets["previous-key-encryption-key"] ?? output("none"));
  expect(previous).not.toBe(await value(secrets["key-encryption-key"]));
  expect(previous).not.toBe("none");
});
