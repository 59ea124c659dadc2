import { expect, test } from "vitest";
import { visibleRowsTable } from "./visible-rows.ts";

test("a name in the list of visible rows gives no command to the runner of a workflow", () => {
  const row = { source: "default", role: "b", table: "public.a\n::add-mask::x", all: 2, visible: [1], isSample: false };
  expect(visibleRowsTable([row], false).split("\n")[2]).toMatch(/^\\u003a:add-mask::x +b +1 of 2 +1$/);
});
