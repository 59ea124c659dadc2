import { globSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";

/** Sources that know where a stack runs: the two implementations, and the phases that they share. */
const atPlaces = /^cli\/(docker|kubernetes|stack\/(places|phases|lost-[a-z]+|build-rendered)|open-place|offline)/;

test("commands know where a stack runs only by its interface", () => {
  const sources = globSync("cli/{commands,stack,database,report,access}/**/*.ts").filter(
    (path) => !path.endsWith(".test.ts") && !atPlaces.test(path),
  );
  expect(sources.length).toBeGreaterThan(30);
  const branches = sources.filter((path) => {
    const text = readFileSync(path, "utf8");
    return (
      /(target|targetOf\([^)]*\)) (===|!==) "(docker|kubernetes)"/.test(text) ||
      /from "(\.\.\/(docker|kubernetes)\/|@routeql\/host\/(docker|kubernetes)\/)/.test(text)
    );
  });
  // Manifests are for Kubernetes alone; errors of both places get a remedy in one file.
  expect(branches.toSorted()).toEqual(["cli/commands/render.ts", "cli/commands/run-command.ts"]);
});
