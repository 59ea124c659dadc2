import { expect, test } from "vitest";
import { linesOf } from "./lines.ts";

const text = `# a comment
- table: {schema: public, name: note}
  select_permissions:
    - role: reader
      permission:
        filter:
          a.b:
            _eq: 1
- "!include other.yaml"
`;

test.each([
  ["", 2],
  ["[0].table.name", 2],
  ["[0].select_permissions", 3],
  ["[0].select_permissions[0].role", 4],
  ["[0].select_permissions[0].permission.filter.a.b._eq", 8],
  ["[0].select_permissions[0].permission.limit", 5],
  ["[0].select_permissions[7]", 3],
  ["[1]", 9],
  ["line 6", 6],
])("%s is found in line %i", (path, line) => {
  expect(linesOf(text)(path)).toBe(line);
});

test("finds lines in JSON, and one line in an empty file", () => {
  expect(linesOf('{\n "a": [\n  {"b": 1}\n ]\n}')("a[0].b")).toBe(3);
  expect(linesOf("")("a.b")).toBe(1);
});
