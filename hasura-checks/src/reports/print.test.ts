import { expect, test } from "vitest";
import { printReport } from "./print.ts";

test("a name in a finding gives no command to the runner of a workflow", () => {
  const finding = {
    rule: "every-row",
    severity: "warning",
    file: undefined,
    line: undefined,
    reason: "a\n::stop-commands::x may read ##[add-mask]e",
    remedy: "b\n  ::add-mask::c",
  } as const;
  const paint = (_style: unknown, text: string): string => text;
  for (const format of ["text", "github"] as const) {
    const lines = printReport({ findings: [finding], examined: "1\n::debug::x" }, format, paint).split("\n");
    expect(lines.filter((line) => /^\s*::(?!warning title)/.test(line))).toEqual([]);
    if (format === "text") expect(lines.join("\n")).not.toContain("##[");
  }
  for (const format of ["json", "sarif", "gitlab"] as const) {
    const text = printReport({ findings: [finding], examined: "1" }, format, paint);
    expect(text).not.toContain("##[");
    expect(JSON.stringify(JSON.parse(text))).toContain(" may read ##[add-mask]e");
  }
});
