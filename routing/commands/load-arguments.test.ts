import { describe, expect, test } from "vitest";
import { parseLoadArguments } from "./load-arguments.ts";

test("reads files and their service", () => {
  expect(parseLoadArguments(["--service", "ripe-ris|rrc03", "a", "-"])).toEqual({
    files: ["a", "-"],
    service: "ripe-ris|rrc03",
    gap: null,
    asAnnouncements: false,
    demo: null,
    maxAgeDays: 7300,
  });
});

test("bounds the age of updates", () => {
  expect(parseLoadArguments(["--max-age-days", "30", "a"])).toMatchObject({ maxAgeDays: 30 });
  for (const days of ["0", "7301", "1e3", ""])
    expect(() => parseLoadArguments(["--max-age-days", days, "a"])).toThrow("--max-age-days takes");
});

test("reads number, seed and start of --demo", () => {
  const given = parseLoadArguments(["--demo", "500", "--seed", "7", "--start", "2026-02-03T04:05:06"]);
  expect(given?.demo).toEqual({ count: 500, seed: 7, start: Date.UTC(2026, 1, 3, 4, 5, 6) });
});

describe("reports invalid arguments", () => {
  test.each([
    [[], "no FILE"],
    [["--demo", "0"], "--demo takes"],
    [["--demo", "many"], "--demo takes"],
    [["--demo", "5", "file"], "--demo takes no FILE"],
    [["--demo", "5", "--seed", "-1"], "seed"],
    [["--demo", "5", "--start", "yesterday"], "--start takes"],
    [["--seed", "1", "file"], "belong to --demo"],
    [["--service", "ripe", "file"], "--service takes"],
    [["--service", "a|b c", "file"], "--service takes"],
    [["--service", `a|${"b".repeat(50)}`, "file"], "--service takes"],
    [["-", "-"], "once only"],
    [["--colour", "file"], "--colour"],
  ])("%j: %s", (args, message) => {
    expect(() => parseLoadArguments(args)).toThrow(message);
  });
});

test("reports several problems together", () => {
  expect(() => parseLoadArguments(["--service", "x", "--seed", "1"])).toThrow(
    /--service takes[^]*belong to --demo[^]*no FILE/,
  );
});
