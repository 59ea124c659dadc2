import { styleText } from "node:util";
import { expect, test } from "vitest";
import { terminalText } from "./terminal-text.ts";

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
