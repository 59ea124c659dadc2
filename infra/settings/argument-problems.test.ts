import { output } from "@pulumi/pulumi";
import { expect, test } from "vitest";
import { argumentProblems } from "./argument-problems.ts";

const found = (given: Record<string, unknown>): string[] =>
  argumentProblems(given, "prod").map(({ name, problem }) => `${name} ${problem}`);

test("accepts no arguments", () => expect(found({})).toEqual([]));

test("ignores undefined arguments", () => expect(found({ httpPort: undefined })).toEqual([]));

test("all problems are listed at once", () => {
  expect(found({ httpPort: "80", hostAddress: "here", color: 1 })).toEqual([
    "httpPort must be a number, not a string",
    'hostAddress must be an IPv4 or IPv6 address, not "here"',
    "color is not a setting",
  ]);
});

test("suggests a similar name and accepts values known only during the deployment", () => {
  expect(
    found({
      publicHots: "routes.example.net",
      httpPort: output(80),
      adminEmail: Promise.resolve("a@example.net"),
      engine: ["hasura"],
    }),
  ).toEqual([
    "publicHots is not a setting; is publicHost meant?",
    "httpPort must be a number, not an Output or a promise; only secrets may be one",
    "adminEmail must be a string, not an Output or a promise; only secrets may be one",
    "engine must be a string, not an object",
  ]);
});

test("rejects contradictory arguments", () => {
  expect(found({ httpsPort: 8443, consolePort: 8443 })).toEqual(["consolePort is the same port as httpsPort: 8443"]);
});
