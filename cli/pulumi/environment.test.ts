import { expect, test } from "vitest";
import { inheritedEnvironment } from "./environment.ts";

test("leaves out a passphrase, which would take the place of the stack's own", () => {
  expect(inheritedEnvironment({ PULUMI_CONFIG_PASSPHRASE: "of another project", PULUMI_HOME: "/srv" })).toEqual({
    PULUMI_HOME: "/srv",
  });
});
