import { CommandError } from "@pulumi/pulumi/automation/index.js";
import { expect, test } from "vitest";
import { explained } from "./bring-up.ts";

// Pulumi's declaration has no public constructor.
const commandError = (): Error =>
  new (CommandError as unknown as new (result: object) => Error)({ toString: () => "" });
const errors = ["Container engine: tlsCertificateFile ended on 2026-01-01"];

test.each([
  ["The preview", "Nothing has changed."],
  ["The stack update", "it resumes."],
] as const)("names the failed operation: %s", async (what, remedy) => {
  await expect(explained({ errors }, what, () => Promise.reject(commandError()))).rejects.toMatchObject({
    message: `${what} failed: ${errors[0]}`,
    remedy: expect.stringContaining(remedy) as string,
  });
});
