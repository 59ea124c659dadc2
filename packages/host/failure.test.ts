import { expect, test } from "vitest";
import { explain, Failure, Interrupted } from "./failure.ts";

test("a failure has its message, last lines, remedy and log file, without a stack trace", () => {
  const text = explain(
    new Failure("The build failed", { lastLines: ["a", "b"], remedy: "free some disk." }),
    "/x/up.log",
  );
  expect(text).toBe("Failed: The build failed\n\n  | a\n  | b\n\nWhat to do: free some disk.\n\nFull log: /x/up.log");
});

test("a program fault keeps its stack trace, an interrupt has none", () => {
  expect(explain(new TypeError("oops"))).toContain("failure.test.ts");
  expect(explain(new Interrupted())).toMatch(/^Interrupted\. Run the command again/);
});
