import { expect, test } from "vitest";
import { table } from "./run-command.ts";

test("aligns rows under the names of their members", () => {
  const rows = [
    { name: "a", since: new Date(0), disabled: true, organisation: null },
    { name: "longer", since: new Date(1000), disabled: false, organisation: "x" },
  ];
  expect(table(rows)).toBe(
    [
      "name    since                     disabled  organisation",
      "a       1970-01-01T00:00:00.000Z  yes       -",
      "longer  1970-01-01T00:00:01.000Z  no        x",
    ].join("\n"),
  );
  expect(table([])).toBe("none");
});

test("removes control characters", () => {
  const shown = table([{ name: "\u001b[31mred\r" }]);
  for (const character of ["\u001b", "\r"]) expect(shown).not.toContain(character);
});
