import { expect, test } from "vitest";
import { readJsonPath } from "./rows.ts";

test.each([
  ["$", []],
  ["a", ["a"]],
  [".obj.c1", ["obj", "c1"]],
  ["$.arr[0]", ["arr", "0"]],
  ["['!@#$%^']", ["!@#$%^"]],
  ["translations['hello world!']", ["translations", "hello world!"]],
  ['objs[0].["你好"]', ["objs", "0", "你好"]],
  ["objs.[0]", ["objs", "0"]],
  ["a['it\\'s']", ["a", "it's"]],
  ["_x", ["_x"]],
  ['["a\\u0041\\n"]["b\\"c"]', ["aA\n", 'b"c']],
  ["['say \"x\"']", ['say "x"']],
])("%s has the steps %j", (text, steps) => {
  expect(readJsonPath(text, "$")).toEqual(steps);
});

test.each(["", "..a", "a[", "a b", "a['x", "a[-1]", "$$", "$.", "a.", '["\\x"]'])("rejects %j", (text) => {
  expect(() => readJsonPath(text, "$.here")).toThrow(/parse json path error/);
});
