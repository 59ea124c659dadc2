import { expect, test } from "vitest";
import { checkStackName, type CommandDescription, helpText, parseArguments } from "./command.ts";

const down: CommandDescription = {
  name: "down",
  summary: "Takes it down.",
  options: { volumes: { type: "boolean", meaning: "the data too" } },
};
const psql: CommandDescription = {
  name: "psql",
  summary: "Opens psql.",
  operands: "[OPTIONS…]",
  options: { role: { type: "string", value: "ROLE", default: "owner", meaning: "the role" } },
  passesOn: true,
};

test("options have their values or their defaults", () => {
  const parsed = parseArguments(down, ["--volumes", "--stack", "dev"]);
  expect(parsed.flag("volumes")).toBe(true);
  expect(parsed.text("stack")).toBe("dev");
  expect(parseArguments(down, []).text("stack")).toBe("local");
});

test("rejects an unknown option and suggests the nearest known one", () => {
  expect(() => parseArguments(down, ["--volume"])).toThrow(
    expect.objectContaining({
      message: "down: unknown option --volume",
      remedy: expect.stringContaining("did you mean --volumes?"),
    }),
  );
  expect(() => parseArguments(down, ["--frobnicate"])).toThrow(
    expect.objectContaining({ remedy: expect.not.stringContaining("did you mean") }),
  );
});

test("rejects an unexpected operand, and an option without its value", () => {
  expect(() => parseArguments(down, ["now"])).toThrow(/down: unexpected argument/);
  expect(() => parseArguments(down, ["--stack"])).toThrow(/down: option '--stack <value>' argument missing/);
});

test("refuses options that npm took, which would select another stack", () => {
  expect(() => parseArguments(down, [], { npm_config_stack: "dev", npm_lifecycle_event: "down" })).toThrow(
    expect.objectContaining({
      message: "down: npm took the option --stack",
      remedy: "write `--` before the options: npm run down -- --stack …",
    }),
  );
});

test("passes unknown arguments through, and everything after --", () => {
  const parsed = parseArguments(psql, [
    "-c",
    "select 1",
    "--role=engine",
    "--stack",
    "dev",
    "-At",
    "--",
    "--role",
    "x",
  ]);
  expect(parsed.text("role")).toBe("engine");
  expect(parsed.text("stack")).toBe("dev");
  expect(parsed.rest).toEqual(["-c", "select 1", "-At", "--role", "x"]);
});

test("the help text lists every option with its meaning and default", () => {
  const text = helpText(psql);
  expect(text).toContain("npm run psql");
  expect(text).toMatch(/--role ROLE +the role \(owner\)/);
  expect(text).toMatch(/-h, --help +show this text/);
});

test.each(["local", "e2e", "a-1"])("%s can be the name of a stack", (name) => expect(checkStackName(name)).toBe(name));
test.each(["", "Local", "-a", "a/b", "..", "a".repeat(41)])("%j cannot be the name of a stack", (name) =>
  expect(() => checkStackName(name)).toThrow(/cannot be the name of a stack/),
);
