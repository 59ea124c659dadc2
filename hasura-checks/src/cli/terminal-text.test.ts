import { styleText } from "node:util";
import { expect, test } from "vitest";
import { terminalText, withoutCommands } from "./terminal-text.ts";

const foreign = "a\u001b]0;title\u0007 \u001b[8m \u009b2J \r \u202e b";

test("control characters and marks of direction of a foreign name are shown, not obeyed", () => {
  expect(terminalText(foreign)).toBe("a\\u001b]0;title\\u0007 \\u001b[8m \\u009b2J \\u000d \\u202e b");
});

test("the styles, lines and tabs of a report stay", () => {
  const report = `${styleText("red", "error", { validateStream: false })}\n\t${styleText("bold", "x", { validateStream: false })}`;
  expect(terminalText(report)).toBe(report);
});

test("a JSON report keeps its values", () => {
  expect(JSON.parse(terminalText(JSON.stringify({ foreign }, null, 2)))).toEqual({ foreign });
});

test("a name cannot give commands to the runner of a workflow", () => {
  expect(withoutCommands("a\n::stop-commands::x\n \t::add-mask::e\nb::c ##[add-mask]e")).toBe(
    "a\n\\u003a:stop-commands::x\n \t\\u003a:add-mask::e\nb::c \\u0023#[add-mask]e",
  );
  // The runner removes all spaces of Unicode at the start of a line.
  for (const space of ["\u00a0", "\u2003", "\u3000", "\u202f \u1680", "\v", "\f"])
    expect(withoutCommands(`a\n${space}::add-mask::e`)).toBe(`a\n${space}\\u003a:add-mask::e`);
});
