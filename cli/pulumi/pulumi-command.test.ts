import { expect, test } from "vitest";
import { passphraseFailure } from "./pulumi-command.ts";

test.each([
  "error: getting stack configuration: get stack secrets manager: incorrect passphrase",
  "error: unable to read PULUMI_CONFIG_PASSPHRASE_FILE: open passphrase: no such file or directory",
])("names the remedy for a passphrase that does not open the state: %s", (output) => {
  expect(passphraseFailure(output, undefined)).toMatchObject({
    message: expect.stringContaining("does not open the secrets") as string,
    remedy: expect.stringContaining("put the former file back") as string,
  });
});

test("leaves other failures of Pulumi as they are", () =>
  expect(passphraseFailure("error: the stack is locked", undefined)).toBeUndefined());

test("names a passphrase of the environment, with which version 0.1.0 wrote the state", () => {
  const failure = passphraseFailure("error: incorrect passphrase", undefined, {
    PULUMI_CONFIG_PASSPHRASE: "of another",
  });
  expect(failure?.remedy).toContain("write its value into .routeql/<stack>/passphrase");
  expect(failure?.remedy).not.toContain("of another");
});
